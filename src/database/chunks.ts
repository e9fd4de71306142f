import { setImmediate as nextTurn } from 'node:timers/promises';
import { DomainError } from '../platform/index.js';

/** SQLite accepts at most 32,766 parameters per statement. */
const CHUNK_SIZE = 1_000;

/**
 * Writes rows in chunks that fit one statement. A chunk that fails is repeated in halves, so that a row that cannot be
 * written keeps none of the others.
 * @returns the errors by row
 * @throws (rejects) DomainError `service_unavailable`
 */
export async function writeInChunks<Row>(
  rows: readonly Row[],
  write: (chunk: readonly Row[]) => Promise<unknown>,
): Promise<ReadonlyMap<Row, unknown>> {
  // Statements on SQLite are synchronous: without this, all chunks would run in one turn of the event loop.
  await nextTurn();
  if (rows.length <= CHUNK_SIZE) {
    try {
      if (rows.length > 0) await write(rows);
      return new Map();
    } catch (error) {
      if (error instanceof DomainError) throw error;
      const [row, ...others] = rows;
      if (row !== undefined && others.length === 0) return new Map([[row, error]]);
    }
  }
  const middle = rows.length >> 1;
  const errors = await writeInChunks(rows.slice(0, middle), write);
  return new Map([...errors, ...(await writeInChunks(rows.slice(middle), write))]);
}

/** @throws AggregateError if there are errors */
export function throwErrors(errors: readonly unknown[]): void {
  const single = errors.flatMap((error: unknown) =>
    error instanceof AggregateError ? (error.errors as unknown[]) : error,
  );
  if (single.length > 0)
    throw new AggregateError(single, `${single.length} failed, the first with: ${String(single[0])}`);
}
