import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '../../auth/caller.js';
import { callerOf } from '../../../test/support/callers.js';
import type { Limits } from '../../auth/keys/plan.js';
import { Env } from '../../platform/config/env.js';
import type { Decision } from '../windows/decision.js';
import { MemoryCounterStore } from './memory-counter-store.js';
import { FakeClock } from '../../testing/fake-clock.js';

const FREE: Limits = { perMinute: 60, perDay: 1_000 };
const PRO: Limits = { perMinute: 300, perDay: 10_000 };
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

const outcomes = (decisions: readonly Decision[], outcome: Decision['outcome']) =>
  decisions.filter((decision) => decision.outcome === outcome).length;

describe('windows of an account', () => {
  it.each([60, 300, 1_000])(
    'admit exactly %i requests per minute, and show each remaining number once',
    (perMinute) => {
      const decisions = call(perMinute + 5, caller({ perMinute, perDay: perMinute * 100 }));
      expect(decisions.slice(0, perMinute).map(({ remaining }) => remaining)).toEqual(
        Array.from({ length: perMinute }, (_, index) => perMinute - 1 - index),
      );
      expect(outcomes(decisions, 'admitted')).toBe(perMinute);
    },
  );

  it('are shared by the keys of the account only', () => {
    call(59, caller(FREE, 1, 'one'));
    expect(store.admit(caller(FREE, 1, 'two'))).toMatchObject({ outcome: 'admitted', remaining: 0 });
    expect(store.admit(caller(FREE, 1, 'one')).outcome).toBe('limited');
    expect(store.admit(caller(FREE, 2, 'three')).outcome).toBe('admitted');
  });

  it('begin on the second of the first request, and keep their reset', () => {
    const resets = new Set<number>();
    for (let index = 0; index < 60; index++) {
      resets.add(store.admit(caller(FREE)).resetSeconds);
      clock.advanceSeconds(0.9);
    }
    expect([...resets]).toEqual([seconds('2026-11-21T12:01:00Z')]);
  });

  it('refuse until the reset, and admit at the reset', () => {
    call(60, caller(FREE));
    clock.set('2026-11-21T12:00:59.999Z');
    expect(store.admit(caller(FREE))).toMatchObject({
      outcome: 'limited',
      limit: 60,
      windowSeconds: 60,
      remaining: 0,
      resetSeconds: seconds('2026-11-21T12:01:00Z'),
      retryAfterSeconds: 1,
    });
    clock.advanceSeconds(0.001);
    expect(store.admit(caller(FREE))).toMatchObject({ outcome: 'admitted', remaining: 59 });
  });

  it.each([
    ['12:00:00.250', 60],
    ['12:00:00.999', 60],
    ['12:00:01.000', 59],
    ['12:00:58.001', 2],
    ['12:00:59.000', 1],
  ])('return at %s a Retry-After of %i s', (time, wait) => {
    call(60, caller(FREE));
    clock.set(`2026-11-21T${time}Z`);
    expect(store.admit(caller(FREE)).retryAfterSeconds).toBe(wait);
  });

  it('show the one with fewer requests left, and the day on a tie', () => {
    expect(store.admit(caller({ perMinute: 5, perDay: 6 }))).toMatchObject({ limit: 5, remaining: 4 });
    expect(store.admit(caller({ perMinute: 5, perDay: 5 }, 2))).toMatchObject({
      outcome: 'admitted',
      limit: 5,
      windowSeconds: 86_400,
      remaining: 4,
      resetSeconds: seconds('2026-11-22T00:00:00Z'),
      retryAfterSeconds: 0,
    });
  });

  it('do not count a rejected request', () => {
    const limits = { perMinute: 3, perDay: 6 };
    call(5, caller(limits));
    clock.advanceSeconds(60);
    expect(call(3, caller(limits)).map(({ remaining }) => remaining)).toEqual([2, 1, 0]);
  });

  it('do not open a minute with a rejected request', () => {
    const limits = { perMinute: 2, perDay: 2 };
    clock.set('2026-11-21T23:58:00Z');
    call(2, caller(limits));
    clock.set('2026-11-21T23:59:59Z');
    expect(store.admit(caller(limits)).outcome).toBe('limited');
    clock.set('2026-11-22T00:00:30Z');
    store.admit(caller({ perMinute: 2, perDay: 100 }));
    expect(store.admit(caller({ perMinute: 2, perDay: 100 })).resetSeconds).toBe(seconds('2026-11-22T00:01:30Z'));
  });

  it('show the exhausted one; of two, the one that resets later', () => {
    const day = { limit: 2, resetSeconds: seconds('2026-11-22T00:00:00Z') };
    expect(call(3, caller({ perMinute: 5, perDay: 2 }))[2]).toMatchObject({ outcome: 'limited', ...day });
    expect(call(3, caller({ perMinute: 2, perDay: 2 }, 2))[2]).toMatchObject({ outcome: 'limited', ...day });
    clock.set('2026-11-21T23:59:30Z');
    expect(call(3, caller({ perMinute: 2, perDay: 2 }, 3))[2]).toMatchObject({
      outcome: 'limited',
      resetSeconds: seconds('2026-11-22T00:00:30Z'),
      retryAfterSeconds: 60,
    });
  });

  it('begin a day at midnight UTC while the minute continues', () => {
    const limits = { perMinute: 10, perDay: 12 };
    clock.set('2026-11-21T23:59:00Z');
    call(10, caller(limits));
    clock.set('2026-11-21T23:59:59.500Z');
    expect(store.admit(caller({ perMinute: 20, perDay: 12 }))).toMatchObject({ limit: 12, remaining: 1 });
    clock.set('2026-11-22T00:00:00Z');
    expect(store.admit(caller(limits))).toMatchObject({ outcome: 'admitted', limit: 10, remaining: 9 });
    clock.set('2026-11-22T23:59:40Z');
    call(5, caller(limits));
    clock.set('2026-11-23T00:00:10Z');
    expect(store.admit(caller(limits))).toMatchObject({ limit: 10, remaining: 4 });
  });

  it('keep their counts when the plan changes', () => {
    call(60, caller(FREE));
    expect(store.admit(caller(PRO))).toMatchObject({ outcome: 'admitted', limit: 300, remaining: 239 });
    expect(store.admit(caller(FREE))).toMatchObject({ outcome: 'limited', limit: 60, remaining: 0 });
    expect(store.admit(caller(PRO))).toMatchObject({ remaining: 238 });
  });
});

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

describe('addresses', () => {
  it('have their own windows and are never banned', () => {
    const decisions = Array.from({ length: 1_000 }, () => store.admitAddress('192.0.2.1'));
    expect(decisions.map(({ outcome }) => outcome)).toEqual([
      ...Array(300).fill('admitted'),
      ...Array(700).fill('limited'),
    ]);
    expect(store.admitAddress('192.0.2.2')).toMatchObject({ outcome: 'admitted', remaining: 299 });
  });

  it('can be peeked at without counting a request', () => {
    expect(store.peekAddress('192.0.2.1')).toMatchObject({ outcome: 'admitted', limit: 300, remaining: 300 });
    store.admitAddress('192.0.2.1');
    clock.advanceSeconds(10);
    const seen = { outcome: 'admitted', remaining: 299, resetSeconds: seconds('2026-11-21T12:01:00Z') };
    expect([store.peekAddress('192.0.2.1'), store.peekAddress('192.0.2.1')]).toMatchObject([seen, seen]);
    expect(store.admitAddress('192.0.2.1').remaining).toBe(298);
    for (let index = 0; index < 298; index++) store.admitAddress('192.0.2.1');
    expect(store.peekAddress('192.0.2.1')).toMatchObject({ outcome: 'limited', remaining: 0, retryAfterSeconds: 50 });
  });
});

describe('a window of a route', () => {
  it('begins with the first request of each subject', () => {
    const take = () => store.takeFromWindow('report:1', 2, 10);
    expect([take(), take(), take()].map(({ remaining, outcome }) => [outcome, remaining])).toEqual([
      ['admitted', 1],
      ['admitted', 0],
      ['limited', 0],
    ]);
    expect(store.takeFromWindow('report:2', 2, 10).outcome).toBe('admitted');
    clock.set('2026-11-21T12:00:09.999Z');
    expect(take()).toMatchObject({ resetSeconds: seconds('2026-11-21T12:00:10Z'), retryAfterSeconds: 1 });
    clock.advanceSeconds(0.001);
    expect(take()).toMatchObject({ outcome: 'admitted', remaining: 1 });
  });
});
