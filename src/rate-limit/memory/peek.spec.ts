import { beforeEach, describe, expect, it } from '@jest/globals';
import { callerOf } from '../../../test/support/callers.js';
import { Env } from '../../platform/config/env.js';
import { MemoryCounterStore } from './memory-counter-store.js';
import { FakeClock } from '../../testing/fake-clock.js';

const NOON = Date.parse('2026-11-21T12:00:00Z') / 1000;
const CALLER = callerOf({ limits: { perMinute: 3, perDay: 5 } });

let clock: FakeClock;
let store: MemoryCounterStore;

beforeEach(() => {
  clock = new FakeClock();
  store = new MemoryCounterStore(clock, new Env());
});

function admit(times: number): void {
  for (let index = 0; index < times; index++) store.admit(CALLER);
}

describe('a peek at the usage of a caller', () => {
  it('returns the requests of the key in the windows of its account', () => {
    admit(1);
    store.admit({ ...CALLER, keyId: 'other' });
    expect([store.peek(CALLER).key, store.peek({ ...CALLER, keyId: 'other' }).key]).toEqual([
      { minute: 1, day: 1 },
      { minute: 1, day: 1 },
    ]);
    clock.advanceSeconds(60);
    expect(store.peek(CALLER).key).toEqual({ minute: 0, day: 1 });
    admit(1);
    expect([store.peek(CALLER).key, store.peek({ ...CALLER, keyId: 'other' }).key]).toEqual([
      { minute: 1, day: 2 },
      { minute: 0, day: 1 },
    ]);
  });

  it('returns the strikes of the minute, and the ban that follows', () => {
    admit(5);
    expect(store.peek(CALLER)).toMatchObject({ minute: { remaining: 0 }, strikes: 2, bannedUntilSeconds: 0 });
    expect(store.peek({ ...CALLER, keyId: 'other' })).toMatchObject({ minute: { remaining: 0 }, strikes: 0 });
    admit(1);
    expect(store.peek(CALLER)).toMatchObject({ strikes: 0, bannedUntilSeconds: NOON + 60 });
    expect(store.peek({ ...CALLER, bansLiftedAtMs: clock.ms })).toMatchObject({ bannedUntilSeconds: 0 });
    clock.advanceSeconds(60);
    expect(store.peek(CALLER)).toMatchObject({
      minute: { remaining: 3 },
      day: { remaining: 2 },
      bannedUntilSeconds: 0,
    });
  });

  it('returns 0 remaining requests if the limits were lowered', () => {
    admit(3);
    expect(store.peek({ ...CALLER, limits: { perMinute: 1, perDay: 2 } })).toMatchObject({
      minute: { limit: 1, remaining: 0 },
      day: { limit: 2, remaining: 0 },
    });
  });
});
