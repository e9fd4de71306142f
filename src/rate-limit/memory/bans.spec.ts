import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '../../auth/caller.js';
import { callerOf } from '../../../test/support/callers.js';
import { Env } from '../../platform/config/env.js';
import type { Decision } from '../windows/decision.js';
import { MemoryCounterStore } from './memory-counter-store.js';
import { FakeClock } from '../../testing/fake-clock.js';

const START = Date.parse('2026-11-21T12:00:00.250Z');

const PER_MINUTE = 5;

let clock: FakeClock;
let store: MemoryCounterStore;

beforeEach(() => {
  clock = new FakeClock(START);
  store = new MemoryCounterStore(clock, new Env());
});

function admit(caller: Partial<Caller> = {}): Decision {
  return store.admit(callerOf({ limits: { perMinute: PER_MINUTE, perDay: 1_000_000 }, ...caller }));
}

/** Uses up the minute and goes on until the key is banned. */
function provoke(caller: Partial<Caller> = {}): Decision {
  for (let calls = 0; calls < 100; calls++) {
    const decision = admit(caller);
    if (decision.outcome === 'banned') return decision;
  }
  throw new Error('The key is not banned.');
}

const advance = (seconds: number) => (clock.ms += seconds * 1000);

describe('bans', () => {
  it('need that many rejections within one minute', () => {
    const limits = { perMinute: PER_MINUTE, perDay: 1 };
    expect(admit({ limits }).outcome).toBe('admitted');
    for (let round = 0; round < 20; round++) {
      expect(Array.from({ length: 4 }, () => admit({ limits }).outcome)).toEqual(Array(4).fill('limited'));
      advance(60);
    }
    for (let index = 0; index < 4; index++) admit({ limits });
    clock.ms = Math.floor(clock.ms / 1000) * 1000 + 59_999;
    expect(admit({ limits }).outcome).toBe('banned');
  });

  it('double up to an hour', () => {
    const durations = Array.from({ length: 9 }, () => {
      const { retryAfterSeconds, resetSeconds } = provoke();
      clock.ms = resetSeconds * 1000;
      return retryAfterSeconds;
    });
    expect(durations).toEqual([60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600]);
  });

  it('stop counting 24 hours after their start', () => {
    const first = provoke();
    const firstStart = first.resetSeconds - 60;
    clock.ms = (firstStart + 86_400) * 1000 - 1;
    const second = provoke();
    expect(second.retryAfterSeconds).toBe(120);
    clock.ms = second.resetSeconds * 1000;
    expect(provoke().retryAfterSeconds).toBe(120);
    clock.ms += 2 * 86_400_000;
    expect(provoke().retryAfterSeconds).toBe(60);
  });

  it('do not count towards the next ban after they are lifted', () => {
    provoke();
    advance(10);
    const bansLiftedAtMs = clock.ms;
    expect(admit({ bansLiftedAtMs }).outcome).toBe('limited');
    expect(admit({ bansLiftedAtMs: START - 1_000 }).outcome).toBe('banned');
    advance(60);
    expect(provoke({ bansLiftedAtMs }).retryAfterSeconds).toBe(60);
  });

  it('end if they are lifted in the millisecond of their start', () => {
    clock.ms = Math.floor(START / 1000) * 1000;
    provoke();
    expect(admit({ bansLiftedAtMs: clock.ms - 1 }).outcome).toBe('banned');
    expect(admit({ bansLiftedAtMs: clock.ms }).outcome).toBe('limited');
  });

  it('do not count strikes from before a lift', () => {
    for (let index = 0; index < 9; index++) admit();
    advance(5);
    const bansLiftedAtMs = clock.ms;
    advance(1);
    expect(Array.from({ length: 5 }, () => admit({ bansLiftedAtMs }).outcome)).toEqual([
      ...Array(4).fill('limited'),
      'banned',
    ]);
  });

  it('reset the strikes when they end', () => {
    const limits = { perMinute: PER_MINUTE, perDay: 1 };
    clock.ms = provoke({ limits }).resetSeconds * 1000;
    expect(Array.from({ length: 5 }, () => admit({ limits }).outcome)).toEqual([...Array(4).fill('limited'), 'banned']);
  });

  it('are removed from memory after a day', () => {
    provoke();
    expect(store.bans.size).toBe(1);
    clock.ms += 86_399_000;
    store.sweep();
    expect(store.bans.size).toBe(1);
    clock.ms += 1_000;
    store.sweep();
    expect(store.bans.size).toBe(0);
  });
});
