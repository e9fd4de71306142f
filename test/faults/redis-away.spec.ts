import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { trio } from '../support/app.js';
import { Fleet } from '../support/fleet.js';
import { ask } from '../support/http.js';
import { freePort } from '../support/servers/free-port.js';
import { requestsOf, Traffic } from '../support/traffic.js';
import { until } from '../support/until.js';

const INSTANCES = 3;
const LIMIT = 20;
/** Responses to wait for while Redis is away. */
const ENOUGH = 60;
/** How long a request waits for Redis, until the instance knows that it is away. */
const REDIS_TIMEOUT_MS = 1_000;
/** On a busy machine an instance may lose Redis more than once. It must not log a line for each request. */
const MOST_OUTAGES = 5;

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
  return (await fleet.createKey(`narrow ${accounts}`, { plan: 'enterprise', perMinute: LIMIT, perDay: 1_000 })).key;
}

/** Sends more requests than a new plan allows to every instance, all in one minute. Returns how many each one admits. */
async function admissions(): Promise<number[]> {
  const narrow = await narrowKey();
  const responses = await Promise.all(
    fleet.ports.map((port) =>
      Promise.all(Array.from({ length: LIMIT + 2 }, () => ask(port, { path: '/v1/pets', key: narrow }))),
    ),
  );
  for (const { status } of responses.flat()) expect([200, 429]).toContain(status);
  if (new Set(responses.flat().map((response) => trio(response).reset)).size > 1) return admissions();
  return responses.map((ofInstance) => ofInstance.filter(({ status }) => status === 200).length);
}

const everywhere = (value: unknown) => Array.from({ length: INSTANCES }, () => value);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const untilUp = (instances: number) => until(async () => sum(await fleet.metric('petstore_redis_up')) === instances);
const readiness = () =>
  Promise.all(fleet.ports.map(async (port) => (await ask(port, { path: '/health/ready' })).json()));
const told = (words: string) => fleet.instances.map((instance) => instance.output().split(words).length - 1);

const config = (name: string, value: string) => fleet.redis.call('CONFIG', 'SET', name, value);

const FAULTS: readonly { what: string; begin: () => unknown; end: () => unknown }[] = [
  { what: 'paused', begin: () => fleet.redis.pause(), end: () => fleet.redis.resume() },
  { what: 'killed', begin: () => fleet.redis.kill(), end: () => fleet.redis.restart() },
  { what: 'out of memory', begin: () => config('maxmemory', '1'), end: () => config('maxmemory', '0') },
  {
    what: 'read-only',
    begin: async () => fleet.redis.call('REPLICAOF', '127.0.0.1', await freePort()),
    end: () => fleet.redis.call('REPLICAOF', 'NO', 'ONE'),
  },
];

describe.each(FAULTS)('Redis $what', ({ begin, end }) => {
  it('fails no request, leaves local limits without waiting for it, and is used again when it is back', async () => {
    expect(sum(await admissions())).toBe(LIMIT);
    const toldBefore = { away: told('Redis is unavailable'), back: told('Redis is available') };
    const going = new Traffic(() => fleet.ports, requestsOf(key));
    traffic = going;
    going.start(6);
    await until(() => going.seen.length > ENOUGH);

    await begin();
    await untilUp(0);
    const knownMs = performance.now();
    expect(await readiness()).toEqual(everywhere({ status: 'degraded', database: 'up', redis: 'down' }));
    expect(await admissions()).toEqual(everywhere(LIMIT));
    await until(() => going.since(knownMs).length > ENOUGH);
    expect(median(going.since(knownMs).map(({ tookMs }) => tookMs))).toBeLessThan(REDIS_TIMEOUT_MS);
    await end();
    await untilUp(INSTANCES);
    await going.stop();

    expect(sum(await admissions())).toBe(LIMIT);
    expect(await readiness()).toEqual(everywhere({ status: 'ready', database: 'up', redis: 'up' }));
    expect([...new Set(going.seen.map(({ status }) => status))].toSorted()).toEqual([200, 201]);
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

describe('without Redis', () => {
  it('the keys command line works', async () => {
    await fleet.redis.kill();
    const { code, stdout } = await fleet.keys('create', '--account', 'alone', '--plan', 'free', '--json');
    expect(code).toBe(0);
    const made = JSON.parse(stdout) as { id: string; key: string };
    expect(await fleet.keys('revoke', made.id)).toMatchObject({ code: 0 });
    const codes = () =>
      Promise.all(
        fleet.ports.map(async (port) => {
          const response = await ask(port, { path: '/v1/pets', key: made.key });
          return ((await response.json()) as { code?: string }).code;
        }),
      );
    await until(async () => (await codes()).every((found) => found === 'api_key_revoked'));
  });
});
