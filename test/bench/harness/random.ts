const SEED = 0x2545f491;

/** Returns the members in a pseudorandom order that is the same in every run (xorshift32, Fisher-Yates). */
export function shuffled<T>(members: readonly T[]): T[] {
  const result = [...members];
  let state = SEED;
  for (let last = result.length - 1; last > 0; last--) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const other = (state >>> 0) % (last + 1);
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
