import type { ColumnOptions, EntityManager, QueryRunner } from 'typeorm';
import { isPostgres, query } from './statements.js';

/** The SQL that differs between the databases in a migration. */
export interface ColumnTypes {
  /** Primary key that the database assigns and never reuses. */
  readonly id: string;
  /** Exact in the int64 range. */
  readonly int64: string;
  /** For a property with `TIME_COLUMN`. */
  readonly time: string;
  readonly boolean: string;
  /** Sorted by bytes on both databases. */
  readonly text: string;
  /** For a property of the type `simple-json`. */
  readonly json: string;
  /** An exact decimal. SQLite keeps it as text, so it neither sorts nor adds by value there. */
  decimal(digits: number, scale: number): string;
  /** Follows the columns of a table. On SQLite it is `STRICT`, which refuses other types than these, BLOB and REAL. */
  readonly tableEnd: string;
}

const SQLITE: ColumnTypes = {
  id: 'INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL',
  int64: 'INTEGER',
  time: 'INTEGER',
  boolean: 'INTEGER',
  text: 'TEXT',
  json: 'TEXT',
  decimal: () => 'TEXT',
  tableEnd: 'STRICT',
};
const POSTGRES: ColumnTypes = {
  id: 'BIGSERIAL PRIMARY KEY',
  int64: 'BIGINT',
  time: 'BIGINT',
  boolean: 'BOOLEAN',
  text: 'TEXT COLLATE "C"',
  json: 'TEXT',
  decimal: (digits, scale) => `NUMERIC(${digits}, ${scale})`,
  tableEnd: '',
};

/** A column that is a `Date` in the entity, and Unix time in milliseconds in the database: `@Column({ ...TIME_COLUMN })`. */
export const TIME_COLUMN = {
  type: 'bigint',
  transformer: {
    to: (time: Date | null | undefined) => time?.getTime() ?? time,
    from: (atMs: number | null) => (atMs === null ? null : new Date(atMs)),
  },
} as const satisfies ColumnOptions;

export function columnTypes(runner: Pick<EntityManager, 'dataSource'>): ColumnTypes {
  return isPostgres(runner) ? POSTGRES : SQLITE;
}

/**
 * Creates an index. PostgreSQL builds it while others write, which is possible outside of transactions only: the migration
 * needs `transaction = false`. One that failed before is replaced.
 * @param on the table, the columns and the condition
 */
export async function createIndex(runner: QueryRunner, name: string, on: string): Promise<void> {
  if (isPostgres(runner)) await dropIndex(runner, name);
  await changeIndex(runner, (concurrently) => `CREATE INDEX ${concurrently} "${name}" ON ${on}`);
}

/** Deletes an index, if it exists. Needs `transaction = false` too. */
export function dropIndex(runner: QueryRunner, name: string): Promise<void> {
  return changeIndex(runner, (concurrently) => `DROP INDEX ${concurrently} IF EXISTS "${name}"`);
}

/**
 * PostgreSQL waits for older transactions, and nothing waits for it meanwhile, so the lock timeout of migrations would only
 * make it begin again.
 */
async function changeIndex(runner: QueryRunner, sql: (concurrently: string) => string): Promise<void> {
  if (!isPostgres(runner)) return void (await runner.query(sql('')));
  const [before] = await query<{ timeout: string }>(
    runner.manager,
    `SELECT current_setting('lock_timeout') AS "timeout"`,
  );
  await runner.query('SET lock_timeout = 0');
  try {
    await runner.query(sql('CONCURRENTLY'));
  } finally {
    await runner.query(`SET lock_timeout = '${before?.timeout}'`);
  }
}
