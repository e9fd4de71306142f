import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '../../auth/caller.js';
import { callerOf } from '../../../test/support/callers.js';
import type { Limits } from '../../auth/keys/plan.js';
import { Env } from '../../platform/config/env.js';
import type { Decision } from '../windows/decision.js';
import { MemoryCounterStore } from './memory-counter-store.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { random } from '../../../test/support/random.js';

const FREE: Limits = { perMinute: 60, perDay: 1_000 };
const PLANS = [
  { perMinute: 3, perDay: 10 },
  { perMinute: 5, perDay: 40 },
  { perMinute: 4, perDay: 4 },
] as const;
const seconds = (iso: string) => Date.parse(iso) / 1000;

let clock: FakeClock;
let store: MemoryCounterStore;

beforeEach(() => {
  clock = new FakeClock();
  store = new MemoryCounterStore(clock, new Env());
});

const caller = (limits: Limits, accountId = 1, keyId = `key ${accountId}`) => callerOf({ keyId, accountId, limits });

function call(times: number, by: Caller): Decision[] {
  return Array.from({ length: times }, () => store.admit(by));
}

describe('a clock that steps back', () => {
  it('opens no new window if it steps by less than a minute', () => {
    call(60, caller(FREE));
    clock.advanceSeconds(-59.9);
    expect(store.admit(caller(FREE)).outcome).toBe('limited');
    clock.set('2026-11-22T00:00:05Z');
    const limits = { perMinute: 10, perDay: 3 };
    call(3, caller(limits, 2));
    clock.advanceSeconds(-30);
    expect(store.admit(caller(limits, 2)).outcome).toBe('limited');
  });

  it('locks no caller out if it steps by more', () => {
    clock.set('2026-11-25T12:00:00Z');
    call(60, caller(FREE));
    clock.set('2026-11-21T12:00:00Z');
    expect(call(60, caller(FREE)).map(({ outcome }) => outcome)).not.toContain('limited');
  });

  it('ends a ban that begins in the future', () => {
    clock.set('2026-11-25T12:00:00Z');
    expect(call(120, caller(FREE)).at(-1)?.outcome).toBe('banned');
    clock.set('2026-11-21T12:00:00Z');
    expect(store.admit(caller(FREE)).outcome).toBe('admitted');
  });
});

it('addresses can be peeked at without counting a request', () => {
  expect(store.peekAddress('192.0.2.1')).toMatchObject({ outcome: 'admitted', limit: 300, remaining: 300 });
  store.admitAddress('192.0.2.1');
  clock.advanceSeconds(10);
  const seen = { outcome: 'admitted', remaining: 299, resetSeconds: seconds('2026-11-21T12:01:00Z') };
  expect([store.peekAddress('192.0.2.1'), store.peekAddress('192.0.2.1')]).toMatchObject([seen, seen]);
  expect(store.admitAddress('192.0.2.1').remaining).toBe(298);
  for (let index = 0; index < 298; index++) store.admitAddress('192.0.2.1');
  expect(store.peekAddress('192.0.2.1')).toMatchObject({ outcome: 'limited', remaining: 0, retryAfterSeconds: 50 });
});

const liftedAt = (bansLiftedAtMs: number) => callerOf({ limits: { perMinute: 5, perDay: 1_000 }, bansLiftedAtMs });

describe('a ban', () => {
  it('ends if it is lifted in the millisecond of its start', () => {
    clock.set('2026-11-21T12:00:00.000Z');
    call(10, liftedAt(0));
    expect(store.admit(liftedAt(clock.ms - 1)).outcome).toBe('banned');
    expect(store.admit(liftedAt(clock.ms)).outcome).toBe('limited');
  });

  it('is removed from memory after a day', () => {
    call(10, liftedAt(0));
    clock.ms += 86_399_000;
    store.sweep();
    expect(store.bans.size).toBe(1);
    clock.ms += 1_000;
    store.sweep();
    expect(store.bans.size).toBe(0);
  });
});

it('a window of a route has the length of its last request', () => {
  store.takeFromWindow('report:3', 1, 10);
  expect(store.takeFromWindow('report:3', 1, 60)).toMatchObject({ outcome: 'limited', retryAfterSeconds: 60 });
  clock.advanceSeconds(20);
  expect(store.takeFromWindow('report:3', 1, 60).outcome).toBe('limited');
  expect(store.takeFromWindow('report:3', 1, 10).outcome).toBe('admitted');
});

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
  clock.set('2026-11-21T22:00:00.000Z');
  const model = new Model();
  const accounts = [0, 1, 2, 0].map((plan) => PLANS[plan] ?? PLANS[0]);
  const lifted = new Map<string, number>();
  const seen = new Set<string>();
  for (let step = 0; step < 5_000; step++) {
    const accountId = below(accounts.length);
    const keyId = `${accountId}/${below(2)}`;
    if (below(100) === 0) accounts[accountId] = PLANS[below(3)] ?? PLANS[0];
    if (below(150) === 0) lifted.set(keyId, clock.ms);
    const limits = accounts[accountId] ?? PLANS[0];
    const asked = callerOf({ keyId, accountId, limits, bansLiftedAtMs: lifted.get(keyId) ?? 0 });
    const decision = store.admit(asked);
    expect({ step, ...decision }).toMatchObject({ step, ...model.admit(asked, clock.ms) });
    seen.add(decision.outcome);
    const stride = below(100);
    clock.ms +=
      stride < 60 ? below(1_500) : stride < 90 ? below(15_000) : stride < 99 ? below(120_000) : below(9_000_000);
    if (step % 50 === 0) store.sweep();
  }
  expect(seen).toEqual(new Set(['admitted', 'limited', 'banned']));
});

const take = (n: number) => store.takeFromWindow(`report:${n}`, 1, 60).outcome;

const admit = (n: number) => store.admitAddress(`192.0.2.${n}`);

describe('a full table', () => {
  const limits = { ANONYMOUS_PER_MINUTE: 3, ANONYMOUS_PER_DAY: 8 };
  beforeEach(() => {
    store = new MemoryCounterStore(clock, Object.assign(new Env(), limits), false, { addresses: 50, routes: 10 });
  });

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
    for (let index = 0; index < 500; index++) admit(index);
    expect(store.addresses.size).toBe(50);
    store.sweep();
    expect(store.addresses.size).toBe(50);
    clock.ms += DAY_MS;
    store.sweep();
    expect(store.addresses.size).toBe(0);
    expect(admit(1)).toMatchObject({ remaining: 2 });
  });
});
