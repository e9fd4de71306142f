import 'reflect-metadata';
import { limitsOf } from '../../../src/auth/keys/plan.js';
import { loadEnv } from '../../../src/platform/config/load-env.js';
import { MemoryCounterStore } from '../../../src/rate-limit/memory/memory-counter-store.js';
import { FakeClock } from '../../../src/testing/fake-clock.js';
import { pseudorandom } from '../harness/random.js';
import { table, whole } from '../harness/table.js';

const ACCOUNTS = 10_000_000;
const REQUESTS_PER_SECOND = 20_000;
const SECONDS = 1_200;

/*
 * Prints what the counters of one process do with twenty minutes of traffic of ten million Free accounts, of which few send
 * most requests (Zipf's law, exponent 1). They keep the last million of them. Compares what they admit with exact counts.
 * Requires --expose-gc.
 */
const limits = limitsOf({ plan: 'free', perMinute: null, perDay: null });
const clock = new FakeClock();
const next = pseudorandom();
const admittedOf = new Uint16Array(ACCOUNTS + 1);
const isSeen = new Uint8Array(ACCOUNTS + 1);
let [seen, admitted, excess] = [0, 0, 0];
const before = heapBytes();
const store = new MemoryCounterStore(clock, loadEnv({}));
const beginMs = performance.now();
for (let second = 0; second < SECONDS; second += 1) {
  for (let n = 0; n < REQUESTS_PER_SECOND; n += 1) send(Math.floor(ACCOUNTS ** (next(2 ** 32) / 2 ** 32)));
  clock.advanceSeconds(1);
  store.sweep();
}
const requests = SECONDS * REQUESTS_PER_SECOND;
const microseconds = ((performance.now() - beginMs) * 1_000) / requests;
const heap = (heapBytes() - before) / 2 ** 20;
const head = 'requests,accounts,counted at the end,admitted,of these above the day,MiB,µs per decision'.split(',');
const cells = [requests, seen, store.accounts.size, admitted, excess, heap].map(whole);
process.stdout.write(table(head, [[...cells, microseconds.toFixed(1)]]));

function send(accountId: number): void {
  if (isSeen[accountId] === 0) seen += 1;
  isSeen[accountId] = 1;
  const { outcome } = store.admit({
    keyId: String(accountId),
    accountId,
    account: '',
    plan: 'free',
    limits,
    scopes: new Set<string>(),
    bansLiftedAtMs: 0,
  });
  if (outcome !== 'admitted') return;
  admitted += 1;
  const count = (admittedOf[accountId] ?? 0) + 1;
  admittedOf[accountId] = Math.min(count, 65_535);
  if (count > limits.perDay) excess += 1;
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
