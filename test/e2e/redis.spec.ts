import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { createApp, loadEnv, Registry } from '../../src/index.js';
import { TestApp as KitApp } from '../../src/testing/test-app.js';
import { SqliteTestDatabase } from '../../src/testing/test-database.js';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { errorOf } from '../support/expectations.js';
import { ask, concurrently } from '../support/http.js';
import { RedisServer } from '../support/servers/redis-server.js';
import { within } from '../support/until.js';
import { metricOf } from '../support/metrics.js';

const PER_MINUTE = 1_000;
const TOGETHER = 1_600;
const INSTANCES = 3;
const HEALED_MS = 2_000;

let server: RedisServer;
let instances: TestApp[];
let first: TestApp;
let agent: Agent;

function list(index: number, key: string): Promise<Response> {
  return ask(portOf(index), { path: '/v1/pets?limit=1', key }, agent);
}

const portOf = (index: number) => (instances[index % INSTANCES] ?? first).port;

/** Many at once, in turn over the instances and keys; as many as leave Redis its share of a busy machine. */
function flood(times: number, ...keys: readonly string[]): Promise<Response[]> {
  const requests = Array.from({ length: times }, (_, index) => () => list(index, keys[index % keys.length] ?? ''));
  return concurrently(requests, 100);
}

const setMemory = (bytes: number) => server.call('CONFIG', 'SET', 'maxmemory', bytes);

async function commands(): Promise<number> {
  return Number(/commands_processed:(\d+)/.exec(String(await server.call('INFO', 'stats')))?.[1]);
}

/** Sum over the instances. */
async function metric(name: string): Promise<number> {
  const values = await Promise.all(instances.map((instance) => metricOf(instance, name)));
  return values.reduce((sum, value) => sum + value, 0);
}

async function readiness(): Promise<unknown[]> {
  return Promise.all(instances.map(async (instance) => (await instance.request('/health/ready')).json()));
}

async function healed(): Promise<void> {
  await within(
    HEALED_MS,
    () => metric('petstore_redis_up'),
    (up) => up === INSTANCES,
  );
  expect(await readiness()).toEqual(instances.map(() => ({ status: 'ready', database: 'up', redis: 'up' })));
}

/** The places that were shown to those that were admitted, and the statuses of the others. */
function outcome(responses: readonly Response[]) {
  const [admitted, others] = [responses.filter(({ ok }) => ok), responses.filter(({ ok }) => !ok)];
  const places = admitted.map((response) => Number(trio(response).remaining)).toSorted((a, b) => b - a);
  return { places, others: new Set(others.map(({ status }) => status)) };
}

const EXACT = {
  places: Array.from({ length: PER_MINUTE }, (_, index) => PER_MINUTE - 1 - index),
  others: new Set([429]),
};

async function remainingWithoutKey(index: number): Promise<unknown> {
  return trio(await ask(portOf(index), { path: '/v1/pets' }, agent)).remaining;
}

describeWithRedis('instances that share Redis', () => {
  beforeAll(async () => {
    server = await RedisServer.start();
    first = await startApp({ env: server.env });
    // Each keeps its own hold on the one database.
    const others = Array.from({ length: INSTANCES - 1 }, () => startApp({ env: server.env, folder: first.folder }));
    instances = [first, ...(await Promise.all(others))];
  });
  beforeEach(() => {
    agent = new Agent({ keepAlive: true });
  });
  afterEach(async () => {
    agent.destroy();
    await server.restart();
    await healed();
  });
  afterAll(async () => {
    for (const instance of instances.toReversed()) await instance.stop({ keepData: instance !== first });
    await server.stop();
  });

  it('send nothing to Redis while there are no requests', async () => {
    let sent: number;
    do {
      const before = await commands();
      await delay(1_000);
      sent = (await commands()) - before;
      // The last checks can be in it.
    } while (sent > 2);
    // This connection's own.
    expect(sent).toBe(2);
  });

  it('admit exactly the limit of an account over all its keys, and none uses local counters', async () => {
    const before = await metric('petstore_redis_fallbacks_total');
    const [one, other] = [await first.key({ account: 'both' }), await first.key({ account: 'both' })];
    expect(outcome(await flood(TOGETHER, one, other))).toEqual(EXACT);
    expect(outcome(await flood(TOGETHER, await first.key()))).toEqual(EXACT);
    expect((await metric('petstore_redis_fallbacks_total')) - before).toBe(0);
  });

  it('tell how far their clocks are from the one of Redis', async () => {
    const clock = new FakeClock(Date.now() + 60_000);
    const ahead = await startApp({ env: { ...server.env, REDIS_PREFIX: 'ahead:' }, clock });
    const texts = [await ahead.app.get(Registry).metrics(), await first.app.get(Registry).metrics()];
    await ahead.stop();
    const differences = texts.map((text) => Number(/^petstore_redis_clock_difference_seconds (.+)$/m.exec(text)?.[1]));
    expect(differences.map((seconds) => Math.round(seconds / 10))).toEqual([6, 0]);
  });

  it('ban a key on all instances', async () => {
    const key = await first.key({ plan: 'enterprise', perMinute: 3, perDay: 1_000 });
    const codes: string[] = [];
    for (let index = 0; index < 8; index++) {
      const response = await list(index, key);
      codes.push(response.ok ? 'ok' : (await errorOf(response)).code);
    }
    const [limited, banned] = ['rate_limit_exceeded', 'api_key_banned'];
    expect(codes).toEqual(['ok', 'ok', 'ok', limited, limited, banned, banned, banned]);
  });

  it('count failed authentications of an address together', async () => {
    for (const [index, left] of [299, 298, 297].entries()) expect(await remainingWithoutKey(index)).toBe(left);
  });

  it('keep the counts when one of them restarts', async () => {
    const key = await first.key();
    await flood(10, key);
    const newcomer = await startApp({ env: server.env, folder: first.folder });
    expect(trio(await newcomer.request('/v1/pets', { key })).remaining).toBe(PER_MINUTE - 11);
    await newcomer.stop({ keepData: true });
  });

  it('start at zero together after Redis lost its data within a window', async () => {
    const key = await first.key();
    await flood(90, key);
    await server.call('FLUSHALL');
    expect(outcome(await flood(TOGETHER, key))).toEqual(EXACT);
  });

  it('use local counters while Redis is silent, and are exact again afterwards', async () => {
    const key = await first.key({ plan: 'enterprise', perMinute: 20, perDay: 100_000 });
    const paused = flood(90, key);
    server.pause();
    const responses = [...(await paused), ...(await flood(90, key))];
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 429]));
    const admitted = responses.filter(({ status }) => status === 200).length;
    expect(admitted).toBeGreaterThanOrEqual(20 * INSTANCES);
    expect(admitted).toBeLessThanOrEqual(20 * INSTANCES + 20);
    expect(await readiness()).toEqual(instances.map(() => ({ status: 'degraded', database: 'up', redis: 'down' })));
    expect(await metric('petstore_redis_up')).toBe(0);
    server.resume();
    await healed();
    expect(outcome(await flood(TOGETHER, await first.key()))).toEqual(EXACT);
  });

  it.each([
    ['is dead', () => server.kill(), () => server.restart()],
    ['is out of memory', () => setMemory(1), () => setMemory(0)],
    ['takes no writes', () => server.call('REPLICAOF', '127.0.0.1', 1), () => server.call('REPLICAOF', 'NO', 'ONE')],
  ])('use local limits while Redis %s, and shared ones afterwards', async (_state, fail, mend) => {
    const key = await first.key({ plan: 'enterprise', perMinute: 20, perDay: 100_000 });
    await fail();
    const responses = await flood(120, key);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(20 * INSTANCES);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(120 - 20 * INSTANCES);
    expect(await metric('petstore_redis_up')).toBe(0);
    await mend();
    await healed();
    // What was admitted meanwhile is not added.
    expect(outcome(await flood(INSTANCES, key)).places).toEqual([19, 18, 17]);
    expect(outcome(await flood(TOGETHER, await first.key()))).toEqual(EXACT);
  });
});

const readinessOf = async (service: Pick<KitApp, 'request'>) =>
  (await (await service.request('/health/ready')).json()) as { redis: string };

const redisIs = (state: 'up' | 'down', service: Pick<KitApp, 'request'>) =>
  within(
    HEALED_MS,
    () => readinessOf(service),
    ({ redis }) => redis === state,
  );

describeWithRedis('services with different databases', () => {
  let own: RedisServer;
  const started: KitApp[] = [];
  /** Not as the kit does, which gives each database a prefix. */
  const start = async (settings: Record<string, string> = {}) => {
    const database = new SqliteTestDatabase();
    const env = loadEnv({ DATABASE_URL: database.url, LOG_LEVEL: 'silent', ...own.env, ...settings });
    const app = await createApp({ env });
    await app.listen(0, '127.0.0.1');
    const service = new KitApp(app, database, () => database.remove());
    started.push(service);
    return service;
  };
  const owner = () => own.call('GET', 'petstore:database');

  beforeEach(async () => {
    own = await RedisServer.start();
  });
  afterEach(async () => {
    for (const service of started.splice(0).toReversed()) await service.stop();
    await own.stop();
  });

  it('do not share a prefix: only the first one starts', async () => {
    const [mine] = [await start()];
    await expect(start()).rejects.toThrow(
      /^The keys petstore:\* in Redis belong to another database\. Set REDIS_PREFIX .* delete its keys instead, including petstore:database\.$/,
    );
    const others = await start({ REDIS_PREFIX: 'other:' });
    const keys = [await mine.key(), await others.key()];
    const remaining = [mine, others].map((service, index) => service.request('/v1/pets', { key: keys[index] ?? '' }));
    expect((await Promise.all(remaining)).map((response) => trio(response).remaining)).toEqual([999, 999]);
    await own.call('DEL', 'petstore:database');
    // Readiness checks the prefix, also if the check after the last request came before.
    const ownerAfterCheck = async () => {
      await readinessOf(mine);
      return owner();
    };
    await within(HEALED_MS, ownerAfterCheck, (value) => value !== null);
    await expect(start()).rejects.toThrow('REDIS_PREFIX');
  });

  it('do not share a prefix either if Redis was unavailable at their start, or lost its data', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    await own.kill();
    const late = await start();
    await own.restart();
    await redisIs('up', late);
    await own.call('SET', 'petstore:database', 'another');
    await redisIs('down', late);
    const key = await late.key();
    await own.call('SET', 'petstore:{account:1}:usage', 'not read');
    expect(trio(await late.request('/v1/pets', { key })).remaining).toBe(PER_MINUTE - 1);
    await delay(1_500);
    expect(await readinessOf(late)).toMatchObject({ status: 'degraded', redis: 'down' });
    expect(error.mock.calls).toMatchObject([[{ reason: expect.stringContaining('REDIS_PREFIX') }]]);
    await own.call('FLUSHALL');
    await redisIs('up', late);
    expect(await owner()).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('in memory have a prefix for each start', async () => {
    for (let n = 0; n < 2; n++) {
      const service = await start({ DATABASE_URL: 'sqlite::memory:' });
      expect(trio(await service.request('/v1/pets', { key: await service.key() })).remaining).toBe(PER_MINUTE - 1);
    }
    expect(await owner()).toBeNull();
    expect(((await own.call('KEYS', 'petstore:*:{account:1}:usage')) as string[]).length).toBe(2);
  });
});
