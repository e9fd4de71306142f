import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { createApp, Env, loadEnv, Registry } from '../../src/index.js';
import { TestApp as KitApp } from '../../src/testing/test-app.js';
import { SqliteTestDatabase } from '../../src/testing/test-database.js';
import { startApp, type TestApp, trio } from '../support/app.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { errorOf } from '../support/expectations.js';
import { ask, concurrently } from '../support/http.js';
import { RedisServer } from '../support/servers/redis-server.js';
import { within } from '../support/until.js';

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

/** Sum over the instances. */
async function metric(name: string): Promise<number> {
  const texts = await Promise.all(instances.map((instance) => instance.app.get(Registry).metrics()));
  return texts.reduce((sum, text) => sum + Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]), 0);
}

async function readiness(): Promise<unknown[]> {
  return Promise.all(instances.map(async (instance) => (await instance.request('/health/ready')).json()));
}

const readinessOf = async (service: Pick<TestApp, 'request'>) =>
  (await (await service.request('/health/ready')).json()) as { redis: string };

const redisIs = (state: 'up' | 'down', service: Pick<TestApp, 'request'>) =>
  within(
    HEALED_MS,
    () => readinessOf(service),
    ({ redis }) => redis === state,
  );

async function healed(): Promise<void> {
  await within(
    HEALED_MS,
    () => metric('petstore_redis_up'),
    (up) => up === INSTANCES,
  );
  expect(await readiness()).toEqual(
    Array.from({ length: INSTANCES }, () => ({ status: 'ready', database: 'up', redis: 'up' })),
  );
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
    instances = [
      first,
      ...(await Promise.all(
        Array.from({ length: INSTANCES - 1 }, () => startApp({ env: server.env, folder: first.folder })),
      )),
    ];
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

  it('admit exactly the limit of an account over all its keys, and none uses local counters', async () => {
    const before = await metric('petstore_redis_fallbacks_total');
    const [one, other] = [await first.key({ account: 'both' }), await first.key({ account: 'both' })];
    expect(outcome(await flood(TOGETHER, one, other))).toEqual(EXACT);
    expect(outcome(await flood(TOGETHER, await first.key()))).toEqual(EXACT);
    expect((await metric('petstore_redis_fallbacks_total')) - before).toBe(0);
  });

  it('ban a key on all instances', async () => {
    const key = await first.key({ plan: 'enterprise', perMinute: 3, perDay: 1_000 });
    const codes: string[] = [];
    for (let index = 0; index < 8; index++) {
      const response = await list(index, key);
      codes.push(response.ok ? 'ok' : (await errorOf(response)).code);
    }
    expect(codes).toEqual([
      ...Array.from({ length: 3 }, () => 'ok'),
      ...Array.from({ length: 2 }, () => 'rate_limit_exceeded'),
      ...Array.from({ length: 3 }, () => 'api_key_banned'),
    ]);
  });

  it('count failed authentications of an address together', async () => {
    expect([await remainingWithoutKey(0), await remainingWithoutKey(1), await remainingWithoutKey(2)]).toEqual([
      299, 298, 297,
    ]);
  });

  it('keep the counts when one of them restarts', async () => {
    const key = await first.key();
    await flood(10, key);
    const newcomer = await startApp({ env: server.env, folder: first.folder });
    expect(trio(await newcomer.request('/v1/pets', { key })).remaining).toBe(PER_MINUTE - 11);
    await newcomer.stop({ keepData: true });
  });

  it('can share a Redis with others under another prefix', async () => {
    const key = await first.key();
    await flood(10, key);
    const stranger = await startApp({ env: { ...server.env, REDIS_PREFIX: 'other:' }, folder: first.folder });
    expect(trio(await stranger.request('/v1/pets', { key })).remaining).toBe(PER_MINUTE - 1);
    await stranger.stop({ keepData: true });
    const names = (await server.call('KEYS', '*')) as string[];
    const [own = '', others = ''] = [first, stranger].map(({ app }) => app.get(Env).REDIS_PREFIX);
    expect(others).toBe(`${own}other:`);
    expect(names.filter((name) => !name.startsWith(own))).toEqual([]);
  });

  it('load lost scripts again, and lose no count', async () => {
    const key = await first.key();
    await list(0, key);
    await server.call('SCRIPT', 'FLUSH');
    const responses = await flood(90, key);
    expect(Math.min(...responses.map((response) => Number(trio(response).remaining)))).toBe(PER_MINUTE - 91);
    expect(await metric('petstore_redis_up')).toBe(INSTANCES);
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
    expect(await readiness()).toEqual(
      Array.from({ length: INSTANCES }, () => ({ status: 'degraded', database: 'up', redis: 'down' })),
    );
    expect(await metric('petstore_redis_up')).toBe(0);
    server.resume();
    await healed();
    expect(outcome(await flood(TOGETHER, await first.key()))).toEqual(EXACT);
  });

  it.each([
    ['is dead', () => server.kill(), () => server.restart()],
    [
      'is out of memory',
      () => server.call('CONFIG', 'SET', 'maxmemory', 1),
      () => server.call('CONFIG', 'SET', 'maxmemory', 0),
    ],
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

describeWithRedis('a service whose Redis is unavailable at its start', () => {
  it('starts, accepts requests, and uses Redis when it is available', async () => {
    const own = await RedisServer.start();
    await own.kill();
    const service = await startApp({ env: own.env });
    const key = await service.key();
    expect(trio(await service.request('/v1/pets', { key })).remaining).toBe(PER_MINUTE - 1);
    await own.restart();
    expect((await redisIs('up', service)).result).toMatchObject({ status: 'ready', redis: 'up' });
    expect(trio(await service.request('/v1/pets', { key })).remaining).toBe(PER_MINUTE - 1);
    await service.stop();
    await own.stop();
  });
});

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
    jest.restoreAllMocks();
    for (const service of started.splice(0).toReversed()) await service.stop();
    await own.stop();
  });

  it('do not share a prefix: only the first one starts', async () => {
    const [mine] = [await start()];
    await expect(start()).rejects.toThrow(
      /^The keys petstore:\* in Redis belong to another database: set REDIS_PREFIX .* delete those keys, petstore:database among them/,
    );
    const others = await start({ REDIS_PREFIX: 'other:' });
    const keys = [await mine.key(), await others.key()];
    const remaining = [mine, others].map((service, index) => service.request('/v1/pets', { key: keys[index] ?? '' }));
    expect((await Promise.all(remaining)).map((response) => trio(response).remaining)).toEqual([999, 999]);
    await own.call('DEL', 'petstore:database');
    await within(HEALED_MS, owner, (value) => value !== null);
    await expect(start()).rejects.toThrow('REDIS_PREFIX');
  });

  it('have a prefix for each environment', async () => {
    await start();
    await start({ ENVIRONMENT: 'staging' });
    expect(new Set([await owner(), await own.call('GET', 'petstore-staging:database')]).size).toBe(2);
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
