import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AMPLE_PLAN, Fleet } from '../support/fleet.js';
import type { Ask } from '../support/http.js';
import type { ServiceProcess } from '../support/service-process.js';
import { everyPet, lost, requestsOf, Traffic } from '../support/traffic.js';
import { within } from '../support/until.js';

/** Maximum time until clients no longer notice that an instance hangs or hung. */
const PROMISED_MS = 3_500;
/** Idle sessions that hold the lock for creates. */
const HOLDERS = `SELECT FROM pg_stat_activity JOIN pg_locks USING (pid)
  WHERE locktype = 'advisory' AND granted AND application_name = 'petstore'
    AND state = 'idle in transaction' AND now() - state_change > interval '0.1 s'`;

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

/** A create of several statements: an idempotent one stores its response in its transaction. */
function idempotent(): Ask {
  const request = requestsOf(key).create();
  return { ...request, headers: { ...request.headers, 'Idempotency-Key': randomUUID() } };
}

function create(instance: ServiceProcess): Traffic {
  const traffic = new Traffic(() => [instance.port], { create: idempotent });
  traffic.start(16);
  started.push(traffic);
  return traffic;
}

/** Expects all creates to succeed within the promised time, and for one second after that. */
async function healed(...all: readonly Traffic[]): Promise<void> {
  const statuses = (sinceMs: number) =>
    all.map((traffic) => [...new Set(traffic.since(sinceMs).map(({ status }) => status))]);
  const latest = () => statuses(performance.now() - 500);
  const expected = all.map(() => [201]);
  await within(PROMISED_MS, latest, (found) => JSON.stringify(found) === JSON.stringify(expected));
  const healedMs = performance.now();
  await delay(1_000);
  expect(statuses(healedMs)).toEqual(expected);
}

/** Pauses an instance in the middle of a transaction. */
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
  it('blocks writes of the others briefly, and continues afterwards', async () => {
    const ofHung = create(hung);
    await delay(500);
    await hang();
    const ofHealthy = create(healthy);
    await healed(ofHealthy);

    hung.signal('SIGCONT');
    await healed(ofHealthy, ofHung);
    await Promise.all([ofHung.stop(), ofHealthy.stop()]);
    // Those that wait for the lock for too long are refused.
    const statuses = new Set([...ofHung.seen, ...ofHealthy.seen].map(({ status }) => status));
    expect([...statuses].filter((status) => status !== 503)).toEqual([201]);
    const pets = await everyPet(healthy.port, key);
    expect(lost(new Map([...ofHung.created, ...ofHealthy.created]), pets)).toEqual([]);
  });
});
