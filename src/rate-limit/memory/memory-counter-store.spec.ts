import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '../../auth/caller.js';
import { callerOf } from '../../../test/support/callers.js';
import type { Limits } from '../../auth/keys/plan.js';
import { Env } from '../../platform/config/env.js';
import type { Decision } from '../windows/decision.js';
import { MemoryCounterStore } from './memory-counter-store.js';
import { FakeClock } from '../../testing/fake-clock.js';

const FREE: Limits = { perMinute: 60, perDay: 1_000 };
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

// More of the rules: counting-model.spec.ts.
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

describe('a window of a route', () => {
  it('has the length of its last request', () => {
    store.takeFromWindow('report:3', 1, 10);
    expect(store.takeFromWindow('report:3', 1, 60)).toMatchObject({ outcome: 'limited', retryAfterSeconds: 60 });
    clock.advanceSeconds(20);
    expect(store.takeFromWindow('report:3', 1, 60).outcome).toBe('limited');
    expect(store.takeFromWindow('report:3', 1, 10).outcome).toBe('admitted');
  });
});
