import type { EntityManager } from 'typeorm';
import { isPostgres } from './dialect.js';

export type SqlParameter = string | number | null;

/** Cache of statements with numbered parameters for PostgreSQL; there are few different ones. */
const numbered = new Map<string, string>();
const MOST_KEPT = 500;

/**
 * Runs a statement that both databases understand, and returns its rows.
 * @param sql with `?` for each parameter, and nowhere else
 */
export async function query<Row>(
  manager: EntityManager,
  sql: string,
  parameters: readonly SqlParameter[] = [],
): Promise<Row[]> {
  if (!isPostgres(manager)) return manager.query(sql, [...parameters]);
  const answer: unknown = await manager.query(numberedText(sql), [...parameters]);
  // For UPDATE and DELETE, PostgreSQL's driver returns the rows together with their number.
  return isCounted<Row>(answer) ? answer[0] : (answer as Row[]);
}

/**
 * Inserts rows into a table that assigns identifiers. Call it within `Database.write`.
 * @param sql an INSERT with VALUES, without ON CONFLICT and RETURNING
 * @returns the identifiers of the rows, in their order, ascending
 */
export async function insert(
  manager: EntityManager,
  sql: string,
  parameters: readonly SqlParameter[],
): Promise<number[]> {
  if (isPostgres(manager)) {
    const rows = await query<{ id: number }>(manager, `${sql} RETURNING "id"`, parameters);
    return rows.map(({ id }) => id).toSorted((one, other) => one - other);
  }
  const { queryRunner } = manager;
  if (queryRunner === undefined) throw new Error('insert was called outside of Database.write.');
  // RETURNING takes a quarter of the statement's time, and SQLite assigns consecutive identifiers within a statement.
  const { affected = 0, raw } = await queryRunner.query(sql, [...parameters], true);
  const lastId = Number(raw);
  return Array.from({ length: affected }, (_, index) => lastId - affected + 1 + index);
}

/** SQLite accepts at most 32,766 parameters per statement. */
const CHUNK_SIZE = 1_000;

/** Splits values into chunks that fit one statement. */
export function* chunksOf<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += CHUNK_SIZE) yield items.slice(start, start + CHUNK_SIZE);
}

function numberedText(sql: string): string {
  let text = numbered.get(sql);
  if (text === undefined) {
    let count = 0;
    text = sql.replaceAll('?', () => `$${++count}`);
    if (numbered.size < MOST_KEPT) numbered.set(sql, text);
  }
  return text;
}

function isCounted<Row>(answer: unknown): answer is [Row[], number] {
  return Array.isArray(answer) && answer.length === 2 && Array.isArray(answer[0]) && typeof answer[1] === 'number';
}
