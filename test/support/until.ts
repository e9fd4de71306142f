import { setTimeout as delay } from 'node:timers/promises';

/** Longer than anything takes that still works, on a machine that is busy with other things. */
const DEADLINE_MS = 30_000;
/** Between two evaluations of a promise's condition. */
const STEP_MS = 20;
/** Longest that one evaluation counts for: on a machine that is busy with other things, all take longer. */
const MOST_COUNTED_MS = 50;

/** Waits until a condition holds; fails when it does not come to hold. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (performance.now() > deadlineMs) throw new Error(`This did not come to hold: ${condition.toString()}`);
    await delay(5);
  }
}

/**
 * Calls until the result is as expected, for as long as it is promised to take at most. Time in which the machine was
 * busy with other things does not count. Returns the last result and the number of calls.
 */
export async function within<T>(
  promisedMs: number,
  call: () => T | Promise<T>,
  isExpected: (result: T) => boolean,
): Promise<{ result: T; calls: number }> {
  let countedMs = 0;
  for (let calls = 1; ; calls += 1) {
    const beginMs = performance.now();
    const result = await call();
    if (isExpected(result) || countedMs > promisedMs) return { result, calls };
    await delay(STEP_MS);
    countedMs += Math.min(performance.now() - beginMs, MOST_COUNTED_MS);
  }
}

/** `within`, for the second in which changes reach every instance. */
export function withinASecond<T>(
  call: () => T | Promise<T>,
  isExpected: (result: T) => boolean,
): Promise<{ result: T; calls: number }> {
  return within(1_000, call, isExpected);
}
