import { random } from '../../support/random.js';

/** Unsigned integers below a bound, the same in every run. */
export const pseudorandom = () => random(0x2545f491);

/** Returns the members in a pseudorandom order that is the same in every run (Fisher-Yates). */
export function shuffled<T>(members: readonly T[]): T[] {
  const result = [...members];
  const next = pseudorandom();
  for (let last = result.length - 1; last > 0; last--) {
    const other = next(last + 1);
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
