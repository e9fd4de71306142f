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
  const errors = new Map<Row, unknown>();
  const writeAll = async (part: readonly Row[]): Promise<void> => {
    // Statements on SQLite are synchronous: without this, all chunks would run in one turn of the event loop.
    await nextTurn();
    if (part.length <= CHUNK_SIZE) {
      try {
        await write(part);
        return;
      } catch (error) {
        if (error instanceof DomainError) throw error;
        const [row, ...others] = part;
        if (row !== undefined && others.length === 0) errors.set(row, error);
        if (others.length === 0) return;
      }
    }
    const middle = part.length >> 1;
    await writeAll(part.slice(0, middle));
    await writeAll(part.slice(middle));
  };
  if (rows.length > 0) await writeAll(rows);
  return errors;
}

/** @throws AggregateError if there are errors */
export function throwErrors(errors: readonly unknown[]): void {
  const single = errors.flatMap((error: unknown) =>
    error instanceof AggregateError ? (error.errors as unknown[]) : error,
  );
  if (single.length > 0)
    throw new AggregateError(single, `${single.length} failed, the first with: ${String(single[0])}`);
}
