import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Caller } from '../../auth/index.js';
import { Env } from '../../config/index.js';
import type { RedisClient } from '../../redis/index.js';
import { ADD_ALONE } from './admission-scripts.js';
import { LocalCounts } from './local-counts.js';
import { MemoryCounterStore } from '../memory/memory-counter-store.js';
import { RedisCounterStore } from './redis-counter-store.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { describeWithRedis } from '../../../test/support/describe-with-redis.js';
import { eventually, LinkBench } from '../../../test/support/link-bench.js';

const LIMITS = { perMinute: 10, perDay: 20 };

function callerOf(accountId: number): Caller {
  return {
    keyId: `key_${accountId}`,
    accountId,
    account: 'a',
    plan: 'enterprise',
    limits: LIMITS,
    scopes: new Set(),
    bansLiftedAtMs: 0,
  };
}

const caller = callerOf(20);

describeWithRedis('local counts from while Redis was unavailable', () => {
  let bench: LinkBench;
  let link: RedisClient;
  let clock: FakeClock;
  let store: RedisCounterStore;
  /** Counts alone, for tests that tell Redis themselves. */
  let memory: MemoryCounterStore;
  let counts: LocalCounts;

  beforeEach(async () => {
    bench = await LinkBench.start();
    link = await bench.open();
    clock = new FakeClock(Date.parse('2026-11-21T22:00:00.000Z'));
    const env = Object.assign(new Env(), { ANONYMOUS_PER_MINUTE: 5, ANONYMOUS_PER_DAY: 40 });
    const nowSeconds = () => clock.nowSeconds();
    store = new RedisCounterStore(link, new MemoryCounterStore(clock, env), nowSeconds);
    memory = new MemoryCounterStore(clock, env);
    counts = new LocalCounts(link, memory, nowSeconds);
  });
  afterEach(() => bench.stop());

  const setMemory = (bytes: number) => bench.server.call('CONFIG', 'SET', 'maxmemory', bytes);
  const goAway = async () => {
    await setMemory(1);
    // Whoever asks finds out.
    await store.admit(callerOf(21));
    expect(link.isUp).toBe(false);
  };
  const comeBack = async () => {
    await setMemory(0);
    await eventually(() => link.isUp);
  };
  const admit = async (times: number) => {
    for (let index = 0; index < times; index++) expect((await store.admit(caller)).outcome).toBe('admitted');
  };
  /** Of the minute and of the day. */
  const used = async () => {
    const { minute, day } = await store.peek(caller);
    return [LIMITS.perMinute - minute.remaining, LIMITS.perDay - day.remaining];
  };

  const leftToAdd = () => {
    const changes = memory.accounts.takeChanges();
    memory.accounts.putBack(changes);
    return changes.size;
  };

  it('are added when it is back, every time', async () => {
    await admit(2);
    const { minute } = await store.peek(caller);
    // The first of them finds out that Redis takes no writes.
    await setMemory(1);
    await admit(3);
    await store.admitAddress('192.0.2.7');
    expect(link.isUp).toBe(false);
    clock.advanceSeconds(5);
    await comeBack();
    expect(await used()).toEqual([5, 5]);
    expect((await store.peek(caller)).minute.resetSeconds).toBe(minute.resetSeconds);
    expect((await store.peekAddress('192.0.2.7')).remaining).toBe(4);
    await goAway();
    await comeBack();
    expect(await used()).toEqual([5, 5]);
    await goAway();
    await admit(2);
    await comeBack();
    expect(await used()).toEqual([7, 7]);
  });

  it('can exceed a limit, which is then exhausted', async () => {
    await admit(10);
    await goAway();
    await admit(10);
    await comeBack();
    expect(await store.admit(caller)).toMatchObject({ outcome: 'limited', windowSeconds: 86_400, remaining: 0 });
    expect(await store.peek(caller)).toMatchObject({ minute: { remaining: 0 }, day: { remaining: 0 } });
    clock.advanceSeconds(60);
    expect(await store.admit(caller)).toMatchObject({ outcome: 'limited', remaining: 0 });
  });

  it('are added to open windows only', async () => {
    await goAway();
    await admit(4);
    clock.advanceSeconds(60);
    await comeBack();
    expect(await used()).toEqual([0, 4]);
    // The minute begins with the first request, not with what was added.
    clock.advanceSeconds(10);
    expect((await store.admit(caller)).resetSeconds - clock.nowSeconds()).toBe(60);
    await goAway();
    await admit(4);
    clock.set('2026-11-22T00:00:30.000Z');
    await comeBack();
    expect(await used()).toEqual([0, 0]);
  });

  it('begin a minute in Redis if none is open there', async () => {
    await goAway();
    const { resetSeconds } = await store.admit(caller);
    clock.advanceSeconds(20);
    await comeBack();
    expect(await store.peek(caller)).toMatchObject({ minute: { remaining: 9, resetSeconds } });
  });

  it('are added once, even if a reply is lost or a message is late', async () => {
    for (let index = 0; index < 3; index++) memory.admit(caller);
    await counts.add();
    const usage = memory.accounts.find(caller.accountId, clock.nowSeconds());
    memory.accounts.keep(usage, clock.nowSeconds());
    await counts.add();
    expect(await used()).toEqual([3, 3]);
    const { minute, day } = usage;
    const tell = (minuteUsed: number, dayUsed: number) => {
      const told = [minute.startSeconds, minuteUsed, day.startSeconds, dayUsed];
      return link.run(ADD_ALONE, [`${link.prefix}{account:20}:usage`], [clock.nowSeconds(), 0, 0, 'other', ...told]);
    };
    await tell(2, 3);
    await tell(1, 2);
    expect(await used()).toEqual([5, 6]);
  });

  it('are added in steps of bounded size', async () => {
    for (let accountId = 1_000; accountId < 6_400; accountId++) memory.admit(callerOf(accountId));
    await counts.add();
    expect(leftToAdd()).toBeGreaterThan(0);
    expect(leftToAdd()).toBeLessThan(500);
    expect((await store.peek(callerOf(1_000))).day.remaining).toBe(19);
    expect((await store.peek(callerOf(6_399))).day.remaining).toBe(20);
    await counts.add();
    expect(leftToAdd()).toBe(0);
    expect((await store.peek(callerOf(6_399))).day.remaining).toBe(19);
  });

  it('are not collected for what is not added: keys, bans and counters that are shared', async () => {
    const tables = [memory.keys, memory.bans, memory.accounts.overflow, memory.addresses.overflow];
    for (let n = 0; n < 2 * LIMITS.perMinute; n++) memory.admit(caller);
    await counts.add();
    expect(tables.map((table) => table.takeChanges().size)).toEqual([0, 0, 0, 0]);
  });

  it('are kept if Redis fails again', async () => {
    memory.admit(caller);
    await bench.server.call('REPLICAOF', '127.0.0.1', 1);
    await expect(counts.add()).rejects.toThrow('READONLY');
    expect(leftToAdd()).toBe(1);
    await bench.server.call('REPLICAOF', 'NO', 'ONE');
    await eventually(() => link.isUp);
    await counts.add();
    expect(await used()).toEqual([1, 1]);
  });
});
