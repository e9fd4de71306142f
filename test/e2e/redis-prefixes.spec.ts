import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { createApp, loadEnv } from '../../src/index.js';
import { TestApp as KitApp } from '../../src/testing/test-app.js';
import { SqliteTestDatabase } from '../../src/testing/test-database.js';
import { trio } from '../support/app.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { RedisServer } from '../support/servers/redis-server.js';
import { within } from '../support/until.js';

const PER_MINUTE = 1_000;
const HEALED_MS = 2_000;

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
