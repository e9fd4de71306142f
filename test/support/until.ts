import { setTimeout as delay } from 'node:timers/promises';

/** Bounds a hang only, a little earlier than the limit of a test, whose message does not name the condition. */
const DEADLINE_MS = 280_000;
/** Pause between two evaluations of a condition in `within`. */
const STEP_MS = 20;
/** Maximum time that one evaluation counts, because all evaluations take longer on a busy machine. */
const MOST_COUNTED_MS = 50;

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (performance.now() > deadlineMs) throw new Error(`This did not come to hold: ${condition.toString()}`);
    await delay(5);
  }
}

/**
 * Calls until the result is as expected, for at most the promised time. Delays of a busy machine do not count. Returns
 * the last result.
 */
export async function within<T>(
  promisedMs: number,
  call: () => T | Promise<T>,
  isExpected: (result: T) => boolean,
): Promise<T> {
  let countedMs = 0;
  for (;;) {
    const beginMs = performance.now();
    const result = await call();
    if (isExpected(result) || countedMs > promisedMs) return result;
    await delay(STEP_MS);
    countedMs += Math.min(performance.now() - beginMs, MOST_COUNTED_MS);
  }
}

export const isRefused = (work: () => Promise<unknown>): Promise<boolean> =>
  work().then(
    () => false,
    () => true,
  );
