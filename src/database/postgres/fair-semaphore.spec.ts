import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FairSemaphore } from './fair-semaphore.js';

const PATIENCE_MS = 900;

describe('the permits of the semaphore', () => {
  let turns: FairSemaphore;

  beforeEach(() => {
    jest.useFakeTimers();
    turns = new FairSemaphore(1, PATIENCE_MS);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Asks for a turn, and tells later what came of it. */
  function ask(): { outcome: string } {
    const asked = { outcome: 'waiting' };
    turns.acquire().then(
      () => (asked.outcome = 'got it'),
      () => (asked.outcome = 'gave up'),
    );
    return asked;
  }

  it('are granted in the order of the requests', async () => {
    const [first, second, third] = [ask(), ask(), ask()];
    await jest.advanceTimersByTimeAsync(0);
    expect([first, second, third].map(({ outcome }) => outcome)).toEqual(['got it', 'waiting', 'waiting']);
    turns.release(true);
    await jest.advanceTimersByTimeAsync(0);
    expect([second.outcome, third.outcome]).toEqual(['got it', 'waiting']);
    turns.release(true);
    turns.release(true);
    expect((await Promise.allSettled([turns.acquire()]))[0].status).toBe('fulfilled');
  });

  it('can be awaited for any time while others are released', async () => {
    ask();
    const queue = Array.from({ length: 20 }, ask);
    for (const _ of queue) {
      await jest.advanceTimersByTimeAsync(PATIENCE_MS - 100);
      turns.release(true);
    }
    await jest.advanceTimersByTimeAsync(0);
    expect(new Set(queue.map(({ outcome }) => outcome))).toEqual(new Set(['got it']));
  });

  it('time out if none is released', async () => {
    ask();
    const early = ask();
    await jest.advanceTimersByTimeAsync(300);
    const late = ask();
    await jest.advanceTimersByTimeAsync(PATIENCE_MS - 290);
    expect([early.outcome, late.outcome]).toEqual(['gave up', 'waiting']);
    await jest.advanceTimersByTimeAsync(300);
    expect(late.outcome).toBe('gave up');
    turns.release(false);
    const next = ask();
    await jest.advanceTimersByTimeAsync(0);
    expect(next.outcome).toBe('got it');
  });
});
