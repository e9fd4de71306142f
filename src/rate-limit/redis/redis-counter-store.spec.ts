import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Caller } from '../../auth/caller.js';
import { callerOf } from '../../../test/support/callers.js';
import { Env } from '../../platform/config/env.js';
import type { RedisClient } from '../../platform/redis/redis-client.js';
import { SingleRedisClient } from '../../platform/redis/single-redis-client.js';
import { MemoryCounterStore } from '../memory/memory-counter-store.js';
import { addressKey, RedisCounterStore } from './redis-counter-store.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { describeWithRedis } from '../../../test/support/describe-with-redis.js';
import { LONG_TIMEOUT_MS } from '../../../test/support/link-bench.js';
import { random } from '../../../test/support/random.js';
import { RedisServer } from '../../../test/support/servers/redis-server.js';

const PLANS = [
  { perMinute: 3, perDay: 10 },
  { perMinute: 5, perDay: 40 },
  { perMinute: 4, perDay: 4 },
] as const;
const DAY_SECONDS = 86_400;

const by = (accountId: number, changes: Partial<Caller> = {}) =>
  callerOf({ keyId: `key_${accountId}`, accountId, limits: PLANS[0], ...changes });

const nameOf = (n: number) => `2001:db8:${n.toString(16)}::`;

describeWithRedis('counting in Redis', () => {
  let server: RedisServer;
  let link: RedisClient;
  let clock: FakeClock;
  let memory: MemoryCounterStore;
  let store: RedisCounterStore;
  let tests = 0;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    server = await RedisServer.start();
  });
  beforeEach(async () => {
    link?.onApplicationShutdown();
    link = new SingleRedisClient(server.url, { REDIS_PREFIX: `test ${++tests}:`, REDIS_TIMEOUT_MS: LONG_TIMEOUT_MS });
    clock = new FakeClock(Date.parse('2026-11-21T22:00:00.000Z'));
    const env = Object.assign(new Env(), { ANONYMOUS_PER_MINUTE: 5, ANONYMOUS_PER_DAY: 40 });
    memory = new MemoryCounterStore(clock, env);
    const fallback = new MemoryCounterStore(clock, env);
    store = new RedisCounterStore(link, fallback, () => clock.nowSeconds());
    await link.onModuleInit();
  });
  afterAll(async () => {
    link.onApplicationShutdown();
    await server.stop();
  });

  const hash = async (name: string) => (await server.call('HGETALL', `test ${tests}:${name}`)) as string[];
  const keys = async () => ((await server.call('KEYS', `test ${tests}:*`)) as string[]).toSorted();

  it.each([1, 2, 3, 4, 5, 6])('decides like counting in memory (%i)', async (seed) => {
    const below = random(seed);
    const accounts = [0, 1, 2, 0].map((plan) => PLANS[plan] ?? PLANS[0]);
    const lifted = new Map<string, number>();
    const seen = new Set<string>();
    for (let step = 0; step < 4_000; step++) {
      const accountId = below(accounts.length);
      const keyId = `${accountId}/${below(2)}`;
      if (below(100) === 0) accounts[accountId] = PLANS[below(3)] ?? PLANS[0];
      if (below(150) === 0) lifted.set(keyId, clock.ms);
      const limits = accounts[accountId] ?? PLANS[0];
      const caller = by(accountId, { keyId, limits, bansLiftedAtMs: lifted.get(keyId) ?? 0 });
      const address = `192.0.2.${below(3)}`;
      const calls = [
        (counters: RedisCounterStore | MemoryCounterStore) => counters.admit(caller),
        (counters: RedisCounterStore | MemoryCounterStore) => counters.peek(caller),
        (counters: RedisCounterStore | MemoryCounterStore) => counters.admitAddress(address),
        (counters: RedisCounterStore | MemoryCounterStore) => counters.peekAddress(address),
        (counters: RedisCounterStore | MemoryCounterStore) => counters.takeFromWindow(`report:${accountId}`, 4, 90),
      ] as const;
      const call = calls[Math.max(0, below(12) - 7)] ?? calls[0];
      const response = call(memory);
      expect({ step, ...(await call(store)) }).toEqual({ step, ...response });
      if ('outcome' in response) seen.add(response.outcome);
      const stride = below(100);
      clock.ms +=
        stride < 60 ? below(1_500) : stride < 90 ? below(15_000) : stride < 98 ? below(120_000) : below(9_000_000);
      // As when an operator sets the clock right: a small and a large step.
      if (stride === 99) clock.ms -= below(2) === 0 ? below(60_000) : below(20_000_000);
    }
    expect(seen).toEqual(new Set(['admitted', 'limited', 'banned']));
    expect(link.fallbacks).toBe(0);
  });

  it('gives every Redis key an expiry, and keeps those of an account in one cluster slot', async () => {
    const caller = by(7, { limits: { perMinute: 1, perDay: 10 } });
    await store.admit(caller);
    expect((await store.admit(caller)).outcome).toBe('banned');
    await store.admitAddress('192.0.2.1');
    await store.takeFromWindow('report:7', 1, 30);
    const prefix = `test ${tests}:`;
    expect(await keys()).toEqual([
      `${prefix}{account:-1}:usage`,
      `${prefix}{account:-1}:usage:check`,
      `${prefix}{account:7}:bans:key_7`,
      `${prefix}{account:7}:usage`,
      `${prefix}{account:7}:usage:key_7`,
      expect.stringMatching(/\{address:[0-9a-f]{1,5}\}:usage$/),
      `${prefix}{route:report:7}`,
    ]);
    for (const key of await keys()) {
      const seconds = Number(await server.call('TTL', key));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(DAY_SECONDS + 120);
    }
  });

  it('writes whole numbers only, whatever the version of Lua, and nothing for each key beside the windows of an account', async () => {
    for (let n = 0; n < 5; n++) await store.admit(by(13, { keyId: `key_${n}`, limits: { perMinute: 3, perDay: 10 } }));
    expect((await hash('{account:13}:usage')).filter((_, n) => n % 2 === 0).toSorted()).toEqual([
      'dayStart',
      'dayUsed',
      'minuteStart',
      'minuteUsed',
    ]);
    for (let n = 0; n < 3; n++) await store.admit(by(13, { keyId: 'key_3' }));
    expect((await hash('{account:13}:bans:key_3')).filter((_, n) => n % 2 === 1).join(' ')).toMatch(/^\d+( \d+)+$/);
  });

  it('keeps a day that begins within a minute until its end', async () => {
    clock.set('2026-11-21T23:59:30.000Z');
    const caller = by(8);
    await store.admit(caller);
    clock.advanceSeconds(40);
    await store.admit(caller);
    expect(Number(await server.call('TTL', `test ${tests}:{account:8}:usage`))).toBeGreaterThan(DAY_SECONDS - 60);
  });

  it('has a limited number of counters for addresses, which share them beyond that', async () => {
    const owners = new Map<string, string>();
    let n = 0;
    while (!owners.has(addressKey('', nameOf(n)))) owners.set(addressKey('', nameOf(n)), nameOf(n++));
    const sharing = [nameOf(n), String(owners.get(addressKey('', nameOf(n))))];
    for (const address of sharing) await store.admitAddress(address);
    await store.admitAddress('2001:db8:0:1::');
    const remaining = [...sharing, '2001:db8:0:1::', '2001:db8:0:2::'].map((address) => store.peekAddress(address));
    expect((await Promise.all(remaining)).map((decision) => decision.remaining)).toEqual([3, 3, 4, 5]);
  });

  it('uses the clock of Redis', async () => {
    const here = new RedisCounterStore(link, memory);
    const [seconds] = (await server.call('TIME')) as [string];
    const { minute, day } = await here.peek(by(9));
    expect(minute.resetSeconds - Number(seconds) - 60).toBeGreaterThanOrEqual(0);
    expect(minute.resetSeconds - Number(seconds) - 60).toBeLessThanOrEqual(1);
    expect(day.resetSeconds % DAY_SECONDS).toBe(0);
    expect((await here.admit(by(9))).outcome).toBe('admitted');
  });

  it('loads its scripts again if Redis lost them', async () => {
    const caller = by(11, { limits: { perMinute: 100, perDay: 100 } });
    await store.admit(caller);
    await server.call('SCRIPT', 'FLUSH');
    const decisions = await Promise.all(Array.from({ length: 50 }, () => store.admit(caller)));
    expect(decisions.map(({ remaining }) => remaining)).toEqual(Array.from({ length: 50 }, (_, index) => 98 - index));
    expect(link.fallbacks).toBe(0);
  });
});
