import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { callerOf } from '../../../test/support/callers.js';
import { Env } from '../../platform/config/env.js';
import type { RedisClient } from '../../platform/redis/redis-client.js';
import { SingleRedisClient } from '../../platform/redis/single-redis-client.js';
import { MemoryCounterStore } from '../memory/memory-counter-store.js';
import { RedisCounterStore } from './redis-counter-store.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { describeWithRedis } from '../../../test/support/describe-with-redis.js';
import { eventually, LONG_TIMEOUT_MS } from '../../../test/support/link-bench.js';
import { RedisServer } from '../../../test/support/servers/redis-server.js';

const by = (accountId: number, perMinute = 3) =>
  callerOf({ keyId: `key_${accountId}`, accountId, limits: { perMinute, perDay: 10 } });

describeWithRedis('a store whose Redis refuses commands', () => {
  let server: RedisServer;
  let link: RedisClient;
  let store: RedisCounterStore;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    server = await RedisServer.start();
    link = new SingleRedisClient(server.url, { REDIS_PREFIX: 'test:', REDIS_TIMEOUT_MS: LONG_TIMEOUT_MS });
    const clock = new FakeClock(Date.parse('2026-11-21T22:00:00.000Z'));
    store = new RedisCounterStore(link, new MemoryCounterStore(clock, new Env()), () => clock.nowSeconds());
    await link.onModuleInit();
  });
  afterAll(async () => {
    link.onApplicationShutdown();
    await server.stop();
  });

  it('decides locally on what Redis refuses for one key, and otherwise in Redis', async () => {
    const [bad, good] = [by(14, 5), by(15)];
    await server.call('SET', 'test:{account:14}:usage', 'text');
    await server.call('HSET', 'test:{account:15}:usage', 'minuteStart', 'x');
    // Nor is Redis away where only the keys of its probes are not readable.
    const probed = ['test:{account:-1}:usage', 'test:database'];
    for (const key of probed) {
      await server.call('LPUSH', 'list', 'text');
      // At once: probes write the keys all the time.
      await server.call('RENAME', 'list', key);
    }
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const decided = await Promise.all([bad, by(16), bad, by(16), good].map((caller) => store.admit(caller)));
    expect(decided.map(({ remaining }) => remaining)).toEqual([4, 2, 3, 1, 2]);
    await delay(500);
    expect([link.isUp, link.fallbacks]).toEqual([true, 3]);
    expect(await store.admit(by(16))).toMatchObject({ remaining: 0 });
    expect(warn.mock.calls).toMatchObject([
      [
        {
          message: 'Redis refused a command; using local counters for it',
          reason: expect.stringMatching(/^WRONGTYPE/),
        },
      ],
    ]);
    warn.mockRestore();
    await server.call('DEL', ...probed);
  });

  it('decides everything locally while Redis refuses the script', async () => {
    const caller = by(17);
    await store.admit(caller);
    await server.call('ACL', 'SETUSER', 'default', '-hset');
    expect(await store.admit(caller)).toMatchObject({ outcome: 'admitted', remaining: 2 });
    await eventually(() => !link.isUp);
    await delay(1_000);
    expect(link.isUp).toBe(false);
    await server.call('ACL', 'SETUSER', 'default', '+hset');
    await eventually(() => link.isUp);
    expect(await store.admit(caller)).toMatchObject({ remaining: 1 });
  });

  it('decides locally while Redis refuses writes, and adds nothing to Redis afterwards', async () => {
    const caller = by(12);
    expect((await store.admit(caller)).remaining).toBe(2);
    await server.call('CONFIG', 'SET', 'maxmemory', 1);
    const local = [await store.admit(caller), await store.admit(caller), await store.admit(caller)];
    expect(local.map(({ outcome, remaining }) => [outcome, remaining])).toEqual([
      ['admitted', 2],
      ['admitted', 1],
      ['admitted', 0],
    ]);
    for (let strike = 0; strike < 3; strike++) await store.admit(caller);
    expect((await store.admit(caller)).outcome).toBe('banned');
    await server.call('CONFIG', 'SET', 'maxmemory', 0);
    await eventually(() => link.isUp);
    expect(await store.admit(caller)).toMatchObject({ outcome: 'admitted', remaining: 1 });
    // The local window is still open, the local ban is not.
    await server.call('CONFIG', 'SET', 'maxmemory', 1);
    expect((await store.admit(caller)).outcome).toBe('limited');
    await server.call('CONFIG', 'SET', 'maxmemory', 0);
  });
});
