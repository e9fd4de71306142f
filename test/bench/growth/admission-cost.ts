import 'reflect-metadata';
import type { Caller } from '../../../src/auth/caller.js';
import { Clock } from '../../../src/platform/config/clock.js';
import { loadEnv } from '../../../src/platform/config/load-env.js';
import { MemoryCounterStore } from '../../../src/rate-limit/memory/memory-counter-store.js';
import { shuffled } from '../harness/random.js';

export interface AdmissionCost {
  readonly nanosecondsPerCall: number;
  readonly bytesPerAccount: number;
}

/** Number of timed calls. Accounts take turns in an order that CPU caches cannot predict. */
const CALLS = 4_000_000;

// Prints the cost of the counters for the number of accounts in the first argument. Requires --expose-gc.
const accounts = Number(process.argv[2]);
const order = Uint32Array.from(shuffled(Array.from({ length: accounts }, (_, index) => index + 1)));
const caller: { -readonly [Property in keyof Caller]: Caller[Property] } = {
  keyId: 'key_0000000000000000',
  accountId: 0,
  account: 'bench',
  plan: 'enterprise',
  limits: { perMinute: 1_000_000_000, perDay: 1_000_000_000 },
  scopes: new Set(),
  bansLiftedAtMs: 0,
};

let store = new MemoryCounterStore(new Clock(), loadEnv({}));
const before = memoryBytes();
admit(accounts);
const bytesPerAccount = (memoryBytes() - before) / accounts;
// The service notes the changes to persist them every second.
store = new MemoryCounterStore(new Clock(), loadEnv({}), true);
admit(accounts);
admit(CALLS);
const start = process.hrtime.bigint();
admit(CALLS);
const nanosecondsPerCall = Number(process.hrtime.bigint() - start) / CALLS;
process.stdout.write(JSON.stringify({ nanosecondsPerCall, bytesPerAccount } satisfies AdmissionCost));

function admit(calls: number): void {
  for (let index = 0; index < calls; index++) {
    caller.accountId = order[index % accounts] ?? 0;
    store.admit(caller);
  }
}

function memoryBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
