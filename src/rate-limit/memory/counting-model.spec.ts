import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../../auth/index.js';
import { Env } from '../../config/index.js';
import type { Decision } from '../windows/decision.js';
import { MemoryCounterStore } from './memory-counter-store.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { random } from '../../../test/support/random.js';

const DAY_MS = 86_400_000;
const floorSecond = (ms: number) => Math.floor(ms / 1000) * 1000;

/** The rules read literally: every answer is worked out anew from the history of all requests, in milliseconds. */
class Model {
  private readonly admissions = new Map<number, number[]>();
  private readonly rejections = new Map<string, number[]>();
  private readonly bans = new Map<string, { startMs: number; endMs: number }[]>();

  admit({ accountId, keyId, limits, bansLiftedAtMs }: Caller, nowMs: number): Decision {
    const bans = (this.bans.get(keyId) ?? []).filter(({ startMs }) => startMs > bansLiftedAtMs);
    const ban = bans.find(({ endMs }) => nowMs < endMs);
    if (ban !== undefined) return this.refuse('banned', limits.perMinute, 60, ban.endMs, nowMs);

    const history = this.admissions.get(accountId) ?? [];
    const minute = lastWindow(history, 60_000);
    const open =
      minute !== undefined && nowMs < minute.startMs + 60_000 ? minute : { startMs: floorSecond(nowMs), used: 0 };
    const dayStartMs = nowMs - (nowMs % DAY_MS);
    const windows = [
      {
        limit: limits.perDay,
        windowSeconds: 86_400,
        used: history.filter((at) => at >= dayStartMs).length,
        endMs: dayStartMs + DAY_MS,
      },
      { limit: limits.perMinute, windowSeconds: 60, used: open.used, endMs: open.startMs + 60_000 },
    ];
    const exhausted = windows.filter(({ used, limit }) => used >= limit).toSorted((a, b) => b.endMs - a.endMs)[0];
    if (exhausted === undefined) {
      this.admissions.set(accountId, [...history, nowMs]);
      const [shown] = windows
        .map((window) => ({ ...window, left: window.limit - window.used - 1 }))
        .toSorted((a, b) => a.left - b.left);
      if (shown === undefined) throw new Error('no window');
      const { limit, windowSeconds, left, endMs } = shown;
      return {
        outcome: 'admitted',
        limit,
        windowSeconds,
        remaining: left,
        resetSeconds: endMs / 1000,
        retryAfterSeconds: 0,
      };
    }

    const strikes = [...(this.rejections.get(keyId) ?? []), nowMs].filter(
      (at) => floorSecond(at) + 1_000 > bansLiftedAtMs,
    );
    const striking = lastWindow(strikes, 60_000);
    this.rejections.set(keyId, strikes);
    if (striking === undefined || striking.used < limits.perMinute) {
      return this.refuse('limited', exhausted.limit, exhausted.windowSeconds, exhausted.endMs, nowMs);
    }
    const startMs = floorSecond(nowMs);
    const recent = bans.filter((earlier) => earlier.startMs + DAY_MS > nowMs).length;
    const endMs = startMs + Math.min(3_600_000, 60_000 * 2 ** recent);
    this.bans.set(keyId, [...bans, { startMs, endMs }]);
    this.rejections.set(keyId, []);
    return this.refuse('banned', limits.perMinute, 60, endMs, nowMs);
  }

  private refuse(
    outcome: 'limited' | 'banned',
    limit: number,
    windowSeconds: number,
    endMs: number,
    nowMs: number,
  ): Decision {
    const retryAfterSeconds = Math.max(1, Math.ceil((endMs - nowMs) / 1000));
    return { outcome, limit, windowSeconds, remaining: 0, resetSeconds: endMs / 1000, retryAfterSeconds };
  }
}

/** The window that the last of these times fell into. */
function lastWindow(times: readonly number[], lengthMs: number): { startMs: number; used: number } | undefined {
  let window: { startMs: number; used: number } | undefined;
  for (const at of times) {
    if (window === undefined || at >= window.startMs + lengthMs) window = { startMs: floorSecond(at), used: 0 };
    window.used += 1;
  }
  return window;
}

describe('counting', () => {
  it.each([1, 2, 3, 4, 5, 6])('decides like a literal model of the rules (%i)', (seed) => {
    const below = random(seed);
    const clock = new FakeClock(Date.parse('2026-11-21T22:00:00.000Z'));
    const store = new MemoryCounterStore(clock, new Env());
    const model = new Model();
    const plans = [
      { perMinute: 3, perDay: 10 },
      { perMinute: 5, perDay: 40 },
      { perMinute: 4, perDay: 4 },
    ];
    const accounts = Array.from({ length: 4 }, (_, index) => plans[index % 3] ?? { perMinute: 1, perDay: 1 });
    const lifted = new Map<string, number>();
    const seen = new Set<string>();
    for (let step = 0; step < 5_000; step++) {
      const accountId = below(accounts.length);
      const keyId = `${accountId}/${below(2)}`;
      if (below(100) === 0) accounts[accountId] = plans[below(3)] ?? { perMinute: 1, perDay: 1 };
      if (below(150) === 0) lifted.set(keyId, clock.ms);
      const caller: Caller = {
        keyId,
        accountId,
        account: 'a',
        plan: 'enterprise',
        limits: accounts[accountId] ?? { perMinute: 1, perDay: 1 },
        scopes: new Set(),
        bansLiftedAtMs: lifted.get(keyId) ?? 0,
      };
      const decision = store.admit(caller);
      expect({ step, ...decision }).toEqual({ step, ...model.admit(caller, clock.ms) });
      seen.add(decision.outcome);
      const stride = below(100);
      clock.ms +=
        stride < 60 ? below(1_500) : stride < 90 ? below(15_000) : stride < 99 ? below(120_000) : below(9_000_000);
      if (step % 50 === 0) store.sweep();
    }
    expect(seen).toEqual(new Set(['admitted', 'limited', 'banned']));
  });
});

describe('a full table', () => {
  const LIMITS = { perMinute: 3, perDay: 8 };
  const SUBJECTS = 500;

  it.each([1, 2, 3])('gives no subject new quota (%i)', (seed) => {
    const below = random(seed);
    const clock = new FakeClock(Date.parse('2026-11-21T22:00:00.000Z'));
    const env = Object.assign(new Env(), { ANONYMOUS_PER_MINUTE: LIMITS.perMinute, ANONYMOUS_PER_DAY: LIMITS.perDay });
    const store = new MemoryCounterStore(clock, env, { addresses: 50, shared: 400 });
    const daily = new Map<string, number>();
    let admissions = 0;
    for (let round = 0; round < 60; round++) {
      // Shorter than a minute, so that no window of the round ends in it.
      const minute = new Map<string, number>();
      const beginMs = clock.ms;
      while (clock.ms < beginMs + 59_000) {
        const address = `192.0.2.${below(below(2) === 0 ? 20 : SUBJECTS)}`;
        if (store.admitAddress(address).outcome === 'admitted') {
          admissions += 1;
          const day = `${address} ${Math.floor(clock.ms / DAY_MS)}`;
          minute.set(address, (minute.get(address) ?? 0) + 1);
          daily.set(day, (daily.get(day) ?? 0) + 1);
        }
        clock.ms += below(150);
      }
      expect(store.addresses.size).toBeLessThanOrEqual(50);
      expect(Math.max(...minute.values())).toBeLessThanOrEqual(LIMITS.perMinute);
      clock.ms += 120_000 + below(3_600_000);
    }
    expect(Math.max(...daily.values())).toBeLessThanOrEqual(LIMITS.perDay);
    expect(admissions).toBeGreaterThan(1_000);
  });

  it('drops expired entries and is exact again', () => {
    const clock = new FakeClock(Date.parse('2026-11-21T22:00:00.000Z'));
    const store = new MemoryCounterStore(clock, new Env(), { addresses: 50, shared: 4 });
    for (let index = 0; index < SUBJECTS; index++) store.admitAddress(`192.0.2.${index}`);
    expect(store.addresses.size).toBe(50);
    clock.ms += DAY_MS;
    store.sweep();
    expect(store.addresses.size).toBe(0);
    expect(store.admitAddress('192.0.2.1')).toMatchObject({ remaining: 299 });
  });

  it('keeps the route windows of evicted callers', () => {
    const store = new MemoryCounterStore(new FakeClock(Date.parse('2026-11-21T22:00:00.000Z')), new Env(), {
      routes: 10,
      shared: 4,
    });
    store.takeFromRoute('report:1', 1, 60);
    for (let index = 2; index < 100; index++) store.takeFromRoute(`report:${index}`, 1_000, 60);
    expect(store.takeFromRoute('report:1', 1, 60).outcome).toBe('limited');
  });
});
