/**
 * Turns the integers in the result of a query into numbers, or into decimal digits if a number would round them. SQLite's
 * driver rounds integers unless it returns all of them as bigints, which neither TypeORM nor features expect.
 */
export function exactIntegers<Result>(result: Result): Result | number | string {
  if (typeof result === 'bigint') return exactInteger(result);
  if (Array.isArray(result)) {
    for (const row of result) replaceIn(row);
    return result;
  }
  // A structured result, whose `raw` and `records` are the same rows.
  if (isStructured(result)) result.raw = exactIntegers(result.raw);
  return result;
}

function replaceIn(row: Record<string, unknown>): void {
  for (const column in row) {
    const value = row[column];
    if (typeof value === 'bigint') row[column] = exactInteger(value);
  }
}

/** @param value from SQLite's driver, or its digits from that of PostgreSQL */
export function exactInteger(value: bigint | string): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function isStructured(result: unknown): result is { raw: unknown } {
  return typeof result === 'object' && result !== null && 'raw' in result;
}
