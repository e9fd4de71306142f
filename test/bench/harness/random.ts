const SEED = 0x2545f491;

/** Unsigned integers of 32 bits, the same in every run (xorshift32). */
export function pseudorandom(): () => number {
  let state = SEED;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Returns the members in a pseudorandom order that is the same in every run (Fisher-Yates). */
export function shuffled<T>(members: readonly T[]): T[] {
  const result = [...members];
  const next = pseudorandom();
  for (let last = result.length - 1; last > 0; last--) {
    const other = next() % (last + 1);
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
