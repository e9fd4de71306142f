import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AMPLE_PLAN, Fleet } from '../support/fleet.js';
import type { ServiceProcess } from '../support/service-process.js';
import { everyPet, lost, requestsOf, Traffic } from '../support/traffic.js';

/** Until nobody feels it any more that an instance hangs, or hung. */
const PROMISED_MS = 2_500;
/** Sessions that keep what they have locked while nobody goes on with them. */
const HOLDERS = "SELECT FROM pg_stat_activity WHERE application_name = 'petstore' AND state = 'idle in transaction' AND now() - state_change > interval '0.1 s'";

let fleet: Fleet;
let key: string;
let hung: ServiceProcess;
let healthy: ServiceProcess;
const started: Traffic[] = [];

beforeAll(async () => {
  fleet = await Fleet.start({ instances: 2 });
  ({ key } = await fleet.createKey('ample', ...AMPLE_PLAN));
  [hung, healthy] = fleet.instances as [ServiceProcess, ServiceProcess];
});
afterEach(async () => {
  hung.signal('SIGCONT');
  await Promise.all(started.splice(0).map((traffic) => traffic.stop()));
});
afterAll(() => fleet?.stop());

function create(instance: ServiceProcess): Traffic {
  const traffic = new Traffic(() => [instance.port], { create: requestsOf(key).create });
  traffic.start(16);
  started.push(traffic);
  return traffic;
}

/** Stops an instance where it is, in the middle of a transaction. */
async function hang(): Promise<void> {
  for (;;) {
    hung.signal('SIGSTOP');
    await delay(150);
    if ((await fleet.postgres.query(HOLDERS)).length > 0) return;
    hung.signal('SIGCONT');
    await delay(50);
  }
}

describe('an instance that hangs in the middle of its transactions', () => {
  it('keeps the others from writing for a moment only, and serves on when it hangs no more', async () => {
    const ofHung = create(hung);
    await delay(500);
    await hang();
    const ofHealthy = create(healthy);
    await delay(PROMISED_MS);
    const healedMs = performance.now();
    await delay(1_000);
    expect(new Set(ofHealthy.since(healedMs).map(({ status }) => status))).toEqual(new Set([201]));

    hung.signal('SIGCONT');
    await delay(PROMISED_MS);
    const backMs = performance.now();
    await delay(1_000);
    await Promise.all([ofHung.stop(), ofHealthy.stop()]);
    expect(new Set([...ofHung.since(backMs), ...ofHealthy.since(backMs)].map(({ status }) => status))).toEqual(new Set([201]));
    expect([...new Set([...ofHung.seen, ...ofHealthy.seen].map(({ status }) => status))].toSorted()).toEqual([201, 503]);
    const pets = await everyPet(healthy.port, key);
    expect(lost(new Map([...ofHung.created, ...ofHealthy.created]), pets)).toEqual([]);
  });
});
