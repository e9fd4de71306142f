import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '../../auth/caller.js';
import { callerOf } from '../../../test/support/callers.js';
import { Env } from '../../platform/config/env.js';
import type { Decision } from '../windows/decision.js';
import { MemoryCounterStore } from './memory-counter-store.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { random } from '../../../test/support/random.js';

const DAY_MS = 86_400_000;
const floorSecond = (ms: number) => Math.floor(ms / 1000) * 1000;

/** What the rules are about. */
type Modelled = Omit<Decision, 'windows' | 'nowSeconds'>;

/** The rules read literally: every answer is worked out anew from the history of all requests, in milliseconds. */
class Model {
  private readonly admissions = new Map<number, number[]>();
  private readonly rejections = new Map<string, number[]>();
  private readonly bans = new Map<string, { startMs: number; endMs: number }[]>();

  admit({ accountId, keyId, limits, bansLiftedAtMs }: Caller, nowMs: number): Modelled {
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
  ): Modelled {
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

it.each([1, 2, 3])('counting decides like a literal model of the rules (%i)', (seed) => {
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
    const limits = accounts[accountId] ?? { perMinute: 1, perDay: 1 };
    const caller = callerOf({ keyId, accountId, limits, bansLiftedAtMs: lifted.get(keyId) ?? 0 });
    const decision = store.admit(caller);
    expect({ step, ...decision }).toMatchObject({ step, ...model.admit(caller, clock.ms) });
    seen.add(decision.outcome);
    const stride = below(100);
    clock.ms +=
      stride < 60 ? below(1_500) : stride < 90 ? below(15_000) : stride < 99 ? below(120_000) : below(9_000_000);
    if (step % 50 === 0) store.sweep();
  }
  expect(seen).toEqual(new Set(['admitted', 'limited', 'banned']));
});

describe('a full table', () => {
  const SUBJECTS = 500;
  const limits = { ANONYMOUS_PER_MINUTE: 3, ANONYMOUS_PER_DAY: 8 };
  const clock = new FakeClock(Date.parse('2026-11-21T22:00:00.000Z'));
  let store: MemoryCounterStore;

  beforeEach(() => {
    clock.set('2026-11-21T22:00:00.000Z');
    store = new MemoryCounterStore(clock, Object.assign(new Env(), limits), false, { addresses: 50, routes: 10 });
  });

  const admit = (n: number) => store.admitAddress(`192.0.2.${n}`);
  const take = (n: number) => store.takeFromWindow(`report:${n}`, 1, 60).outcome;

  it('forgets the subject that was not seen for longest, and no other', () => {
    for (let index = 0; index < 50; index++) admit(index);
    expect(admit(0).remaining).toBe(1);
    admit(50);
    expect(store.addresses.size).toBe(50);
    expect(admit(1).remaining).toBe(2);
    expect(admit(0).remaining).toBe(0);
    expect(admit(0).outcome).toBe('limited');
  });

  it('has bounded counters for routes', () => {
    for (let index = 0; index < 10; index++) take(index);
    expect(take(0)).toBe('limited');
    expect(take(10)).toBe('admitted');
    expect([take(0), take(1)]).toEqual(['limited', 'admitted']);
  });

  it('drops expired entries', () => {
    for (let index = 0; index < SUBJECTS; index++) store.admitAddress(`192.0.2.${index}`);
    expect(store.addresses.size).toBe(50);
    store.sweep();
    expect(store.addresses.size).toBe(50);
    clock.ms += DAY_MS;
    store.sweep();
    expect(store.addresses.size).toBe(0);
    expect(store.admitAddress('192.0.2.1')).toMatchObject({ remaining: 2 });
  });
});
