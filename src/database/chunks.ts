import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { DomainError } from '../platform/errors/domain-error.js';
import type { Database } from './database.js';
import { lockUntilCommit } from './locks.js';

/** SQLite accepts at most 32,766 parameters per statement. */
const CHUNK_SIZE = 1_000;

/** The lock of whoever writes rows of a table in chunks. */
export function rowsLock(table: string): string {
  return `rows of ${table}`;
}

/**
 * Writes rows of a table in chunks that fit one statement, each in a transaction. One instance writes at a time, because two
 * that write the same rows in different orders would wait for each other. A chunk that fails is repeated in halves, so that a
 * row that cannot be written keeps none of the others.
 * @returns the errors by row
 * @throws (rejects) DomainError `service_unavailable`
 */
export async function writeInChunks<Row>(
  database: Database,
  table: string,
  rows: readonly Row[],
  write: (manager: EntityManager, chunk: readonly Row[]) => Promise<unknown>,
): Promise<ReadonlyMap<Row, unknown>> {
  // Statements on SQLite are synchronous: without this, all chunks would run in one turn of the event loop.
  await nextTurn();
  const [row] = rows;
  if (row === undefined) return new Map();
  if (rows.length <= CHUNK_SIZE) {
    try {
      await database.write(async (manager) => {
        await lockUntilCommit(manager, rowsLock(table));
        await write(manager, rows);
      });
      return new Map();
    } catch (error) {
      if (error instanceof DomainError) throw error;
      if (rows.length === 1) return new Map([[row, error]]);
    }
  }
  const middle = rows.length >> 1;
  const errors = await writeInChunks(database, table, rows.slice(0, middle), write);
  return new Map([...errors, ...(await writeInChunks(database, table, rows.slice(middle), write))]);
}

/** @throws AggregateError if there are errors */
export function throwErrors(errors: readonly unknown[]): void {
  const single = errors.flatMap((error: unknown) =>
    error instanceof AggregateError ? (error.errors as unknown[]) : error,
  );
  if (single.length > 0)
    throw new AggregateError(single, `${single.length} failed, the first with: ${String(single[0])}`);
}
