import type { ColumnOptions, EntityManager, ObjectLiteral } from 'typeorm';
import type { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';

export type SqlParameter = string | number | null;
export type QueryParameters = unknown[] | ObjectLiteral;

/** What a query runner of TypeORM answers. */
export type QueryAnswer = Awaited<ReturnType<BetterSqlite3QueryRunner['query']>>;

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
  let count = 0;
  const numbered = sql.replaceAll('?', () => `$${++count}`);
  const answer: unknown = await manager.query(numbered, [...parameters]);
  // For UPDATE and DELETE, PostgreSQL's driver returns the rows together with their number.
  return isCounted<Row>(answer) ? answer[0] : (answer as Row[]);
}

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

function isCounted<Row>(answer: unknown): answer is [Row[], number] {
  return Array.isArray(answer) && answer.length === 2 && Array.isArray(answer[0]) && typeof answer[1] === 'number';
}

export function isPostgres({ dataSource }: Pick<EntityManager, 'dataSource'>): boolean {
  return dataSource.options.type === 'postgres';
}

/**
 * Sorts and compares a text column by bytes, as SQLite does. PostgreSQL uses the collation of the database, in which `B` may
 * come after `a`.
 */
export function byBytes(connected: Pick<EntityManager, 'dataSource'>, column: string): string {
  return isPostgres(connected) ? `${column} COLLATE "C"` : column;
}

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

/**
 * The options of a column with a time, which is a `Date` in the entity and Unix time in milliseconds in the database, such as
 * `@Column({ ...TIME_COLUMN, name: 'starts_at' })`.
 */
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

/** Before the first word of a statement: white space, empty statements and comments. */
const START = String.raw`^(?:[\s;]|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*`;

const CONTROLS = new RegExp(`${START}(?:BEGIN|START|COMMIT|END|ROLLBACK|ABORT|SAVEPOINT|RELEASE)\\b`, 'i');
/**
 * Refuses statements that begin or end a transaction, because they would affect other users of the connection.
 * @throws Error
 */
export function refuseTransactionControl(sql: string): void {
  if (!CONTROLS.test(sql)) return;
  throw new Error(
    `"${sql.trim()}" must not be sent as a statement. Use dataSource.transaction, or startTransaction of a query runner.`,
  );
}
