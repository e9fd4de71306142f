import type { EntityManager, ObjectLiteral } from 'typeorm';
import type { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';

export type SqlParameter = string | number | null;
/** What `query` of a query runner takes and returns. */
export type Statement = readonly [sql: string, parameters?: unknown[] | ObjectLiteral, isStructured?: boolean];
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

/** An integer as a number, or as decimal digits if a number would round it. */
export function exactNumber(value: bigint | string): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function isCounted<Row>(answer: unknown): answer is [Row[], number] {
  return Array.isArray(answer) && answer.length === 2 && Array.isArray(answer[0]) && typeof answer[1] === 'number';
}

export function isPostgres({ dataSource }: Pick<EntityManager, 'dataSource'>): boolean {
  return dataSource.options.type === 'postgres';
}

/** Those identifiers that rows of a table have. What counts for the owner of others is not stored any more. */
export async function existing<Id extends string | number>(
  manager: EntityManager,
  table: 'accounts' | 'api_keys',
  ids: readonly Id[],
): Promise<ReadonlySet<Id>> {
  const rows = await query<{ id: Id }>(manager, `SELECT "id" FROM "${table}" WHERE "id" IN ${placeholders(ids)}`, ids);
  return new Set(rows.map(({ id }) => id));
}

/** The rows of a chunk whose account was not deleted meanwhile. */
export async function ofExistingAccounts<Row extends { readonly accountId: number }>(
  manager: EntityManager,
  chunk: readonly (readonly [key: unknown, row: Row])[],
): Promise<Row[]> {
  const rows = chunk.map(([, row]) => row);
  const accounts = await existing(manager, 'accounts', [...new Set(rows.map(({ accountId }) => accountId))]);
  return rows.filter(({ accountId }) => accounts.has(accountId));
}

/** A list of parameters, in SQL. A statement can have 32,766 on SQLite, and 65,535 on PostgreSQL. */
export function placeholders(values: readonly SqlParameter[]): string {
  return `(${values.map(() => '?').join()})`;
}

/** A condition that a text is one of many, in SQL. Its parameter is the JSON of an array, however many there are. */
export function inJson(connected: Pick<EntityManager, 'dataSource'>): string {
  const texts = isPostgres(connected) ? 'json_array_elements_text(CAST(? AS json))' : '"value" FROM json_each(?)';
  return `IN (SELECT ${texts})`;
}

/**
 * A source of rows for `INSERT ... SELECT`: the objects of a JSON array, which is one parameter however many there are.
 * @param columns types by the names of members, in the order of the columns
 */
export function jsonRows(dialect: 'postgres' | 'sqlite', columns: Readonly<Record<string, 'bigint' | 'text'>>): string {
  const types = Object.entries(columns);
  if (dialect === 'postgres')
    return `json_to_recordset(CAST(? AS json)) AS "new" (${types.map(([name, type]) => `"${name}" ${type}`).join()})`;
  return `(SELECT ${types.map(([name]) => `"value" ->> '${name}' AS "${name}"`).join()} FROM json_each(?)) AS "new"`;
}

/**
 * Sorts and compares a text column by bytes, as SQLite does. PostgreSQL uses the collation of the database, in which `B` may
 * come after `a`.
 */
export function byBytes(connected: Pick<EntityManager, 'dataSource'>, column: string): string {
  return isPostgres(connected) ? `${column} COLLATE "C"` : column;
}

/** After white space, empty statements and comments. */
const CONTROL =
  /^(?:[\s;]|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:BEGIN|START|COMMIT|END|ROLLBACK|ABORT|SAVEPOINT|RELEASE)\b/i;

/** @throws Error if a statement begins or ends a transaction, which would affect other users of the connection */
export function refuseTransactionControl(sql: string): void {
  if (!CONTROL.test(sql)) return;
  throw new Error(
    `"${sql.trim()}" must not be sent as a statement. Use dataSource.transaction, or startTransaction of a query runner.`,
  );
}
