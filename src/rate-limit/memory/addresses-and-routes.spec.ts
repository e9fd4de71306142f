import { beforeEach, describe, expect, it } from '@jest/globals';
import { Env } from '../../platform/config/env.js';
import { MemoryCounterStore } from './memory-counter-store.js';
import { FakeClock } from '../../testing/fake-clock.js';

const seconds = (iso: string) => Date.parse(iso) / 1000;

let clock: FakeClock;
let store: MemoryCounterStore;

beforeEach(() => {
  clock = new FakeClock();
  store = new MemoryCounterStore(clock, new Env());
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
