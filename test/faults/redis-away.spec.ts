import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { trio } from '../support/app.js';
import { Fleet } from '../support/fleet.js';
import { freePort } from '../support/servers/free-port.js';
import { ask } from '../support/http.js';
import { requestsOf, Traffic } from '../support/traffic.js';
import { within } from '../support/until.js';

const INSTANCES = 3;
/**
 * Maximum extra time for a request while Redis is unavailable: its timeout of a second, plus a margin for a busy machine.
 */
const PROMISED_MS = 2_000;
/** Maximum time until Redis counts again after it restarts. */
const HEALING_MS = 2_000;
const LIMIT = 20;
/** On a busy machine an instance may lose Redis more than once. It must not log a line for each request. */
const MOST_OUTAGES = 3;

let fleet: Fleet;
let key: string;
let traffic: Traffic | undefined;
let accounts = 0;

beforeAll(async () => {
  fleet = await Fleet.start({ instances: INSTANCES });
  ({ key } = await fleet.createKey('ample'));
});
afterEach(() => traffic?.stop());
afterAll(() => fleet?.stop());

/** Creates a key of a new account with a low limit. */
async function narrowKey(): Promise<string> {
  accounts += 1;
  return (
    await fleet.createKey(
      `narrow ${accounts}`,
      '--plan',
      'enterprise',
      '--per-minute',
      String(LIMIT),
      '--per-day',
      '1000',
    )
  ).key;
}

/** Sends as many requests as the plan allows to every instance. Returns how many each instance admits. */
async function admissions(narrow: string): Promise<number[]> {
  const responses = await Promise.all(
    fleet.ports.map((port) =>
      Promise.all(Array.from({ length: LIMIT + 2 }, () => ask(port, { path: '/v1/pets', key: narrow }))),
    ),
  );
  for (const { status } of responses.flat()) expect([200, 429]).toContain(status);
  return responses.map((ofInstance) => ofInstance.filter(({ status }) => status === 200).length);
}

const everywhere = (value: unknown) => Array.from({ length: INSTANCES }, () => value);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const slowest = (seen: readonly { tookMs: number }[]) => Math.max(...seen.map(({ tookMs }) => tookMs));
const readiness = () =>
  Promise.all(fleet.ports.map(async (port) => (await ask(port, { path: '/health/ready' })).json()));
const told = (words: string) => fleet.instances.map((instance) => instance.output().split(words).length - 1);

const config = (name: string, value: string) => fleet.redis.call('CONFIG', 'SET', name, value);

interface Fault {
  readonly what: string;
  readonly lastsMs: number;
  readonly begin: () => unknown;
  readonly end: () => unknown;
}

const FAULTS: readonly Fault[] = [
  { what: 'paused', lastsMs: 10_000, begin: () => fleet.redis.pause(), end: () => fleet.redis.resume() },
  { what: 'killed', lastsMs: 3_000, begin: () => fleet.redis.kill(), end: () => fleet.redis.restart() },
  { what: 'out of memory', lastsMs: 3_000, begin: () => config('maxmemory', '1'), end: () => config('maxmemory', '0') },
  {
    what: 'read-only',
    lastsMs: 3_000,
    begin: async () => fleet.redis.call('REPLICAOF', '127.0.0.1', await freePort()),
    end: () => fleet.redis.call('REPLICAOF', 'NO', 'ONE'),
  },
];

describe.each(FAULTS)('Redis $what', ({ lastsMs, begin, end }) => {
  it('fails and slows down no request, leaves local limits, and is used again soon after it is back', async () => {
    const [before, during, after] = [await narrowKey(), await narrowKey(), await narrowKey()];
    expect(sum(await admissions(before))).toBe(LIMIT);
    const toldBefore = { away: told('Redis is unavailable'), back: told('Redis is available') };
    traffic = new Traffic(() => fleet.ports, requestsOf(key));
    traffic.start(6);
    await delay(3_000);

    const awayMs = performance.now();
    await begin();
    const isLocal = (up: readonly number[]) => sum(up) === 0;
    await within(PROMISED_MS, () => fleet.metric('petstore_redis_up'), isLocal);
    expect(await readiness()).toEqual(everywhere({ status: 'degraded', database: 'up', redis: 'down' }));
    expect(await fleet.metric('petstore_redis_up')).toEqual(everywhere(0));
    expect(await admissions(during)).toEqual(everywhere(LIMIT));
    await delay(lastsMs - (performance.now() - awayMs));
    const endMs = performance.now();
    await end();
    const { result } = await within(
      HEALING_MS,
      () => fleet.metric('petstore_redis_up'),
      (up) => sum(up) === INSTANCES,
    );
    await traffic.stop();

    expect(result).toEqual(everywhere(1));
    expect(sum(await admissions(during))).toBe(LIMIT);
    expect(sum(await admissions(after))).toBe(LIMIT);
    expect(await readiness()).toEqual(everywhere({ status: 'ready', database: 'up', redis: 'up' }));
    expect([...new Set(traffic.seen.map(({ status }) => status))].toSorted()).toEqual([200, 201]);
    expect(slowest(traffic.since(awayMs, endMs))).toBeLessThan(slowest(traffic.since(0, awayMs)) + PROMISED_MS);
    const toldAway = told('Redis is unavailable').map((times, at) => times - (toldBefore.away[at] ?? 0));
    expect(told('Redis is available').map((times, at) => times - (toldBefore.back[at] ?? 0))).toEqual(toldAway);
    expect(Math.min(...toldAway)).toBeGreaterThan(0);
    expect(Math.max(...toldAway)).toBeLessThanOrEqual(MOST_OUTAGES);
  });
});

describe('Redis that is flushed within a window', () => {
  it('begins the window again, without an error and without local counters', async () => {
    const narrow = await narrowKey();
    const list = (port: number) => ask(port, { path: '/v1/pets', key: narrow });
    for (const port of fleet.ports) await list(port);
    const fallbacks = await fleet.metric('petstore_redis_fallbacks_total');
    await fleet.redis.call('FLUSHALL');
    await fleet.redis.call('SCRIPT', 'FLUSH');
    const responses: Response[] = [];
    for (const port of fleet.ports) responses.push(await list(port));
    expect(responses.map((response) => trio(response).remaining)).toEqual([LIMIT - 1, LIMIT - 2, LIMIT - 3]);
    expect(await fleet.metric('petstore_redis_fallbacks_total')).toEqual(fallbacks);
  });
});
