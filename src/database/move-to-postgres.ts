import { hash } from 'node:crypto';
import Sqlite, { type Database as SqliteConnection } from 'sqlite-driver';
import type { QueryRunner } from 'typeorm';
import type { Env } from '../platform/config/env.js';
import { migrateDatabase } from './database.module.js';
import type { DatabaseParts } from './database-options.js';
import { migrationOptions, postgresDataSource } from './postgres/postgres-options.js';

const ROWS_PER_STATEMENT = 1_000;
/** Each migrated database has rows in these. The identity is that of the source, which Redis knows. */
const OF_MIGRATIONS = new Set(['migrations', 'database_identity']);

export interface MovedTable {
  readonly table: string;
  readonly rows: number;
}

type Row = Readonly<Record<string, string | null>>;

/** The sum of the checksums of rows, whatever their order. */
interface Content {
  rows: number;
  sum: bigint;
}

/**
 * Copies an SQLite database, which no service may use, to an empty one on PostgreSQL: all or nothing. It compares the rows of
 * each table afterwards, and leaves the source as it is.
 * @param target settings whose DATABASE_URL names the target
 * @throws (rejects) Error if the target is not empty, the source is of another version, or the copy differs
 */
export async function moveToPostgres(sourceFile: string, target: Env, parts: DatabaseParts): Promise<MovedTable[]> {
  const url = String(target.DATABASE_URL);
  const source = new Sqlite(sourceFile, { readonly: true, fileMustExist: true });
  const dataSource = postgresDataSource(migrationOptions(url, parts));
  await dataSource.initialize();
  const runner = dataSource.createQueryRunner();
  try {
    await checkEmpty(runner);
    await migrateDatabase(target, parts);
    await checkVersion(source, runner);
    await runner.startTransaction();
    await runner.query('DELETE FROM "database_identity"');
    const moved: MovedTable[] = [];
    for (const table of tablesOf(source)) {
      const columns = await columnsOf(source, runner, table);
      const content = await copyTable(source, runner, table, columns);
      await compare(runner, table, columns, content);
      moved.push({ table, rows: content.rows });
    }
    await setSequences(source, runner);
    await runner.commitTransaction();
    return moved;
  } finally {
    await runner.release();
    await dataSource.destroy();
    source.close();
  }
}

async function checkEmpty(runner: QueryRunner): Promise<void> {
  const sql = `SELECT table_name AS "table" FROM information_schema.tables
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`;
  for (const { table } of (await runner.query(sql)) as { table: string }[]) {
    if (OF_MIGRATIONS.has(table)) continue;
    const rows = (await runner.query(`SELECT 1 FROM ${quoted(table)} LIMIT 1`)) as unknown[];
    if (rows.length > 0) throw new Error(`The target is not empty: its table ${table} has rows. Nothing was copied.`);
  }
}

const namesOf = (rows: unknown) => new Set((rows as { name: string }[]).map(({ name }) => name));

async function checkVersion(source: SqliteConnection, runner: QueryRunner): Promise<void> {
  const sql = 'SELECT "name" FROM "migrations"';
  const [own, others] = [namesOf(source.prepare(sql).all()), namesOf(await runner.query(sql))];
  const missing = [...others].filter((name) => !own.has(name));
  if (missing.length > 0)
    throw new Error(
      `The source lacks migrations: ${missing.join(', ')}. Start this version of the service once, with its extensions.`,
    );
  const unknown = [...own].filter((name) => !others.has(name));
  if (unknown.length > 0)
    throw new Error(
      `The target lacks migrations: ${unknown.join(', ')}. Run those of your extensions on it first, with migrate(loadEnv(), extensions).`,
    );
}

/** Tables after those that they refer to. */
function tablesOf(source: SqliteConnection): string[] {
  const sql = `SELECT "name" FROM "sqlite_master" WHERE "type" = 'table' AND "name" NOT LIKE 'sqlite^_%' ESCAPE '^'`;
  const all = new Set(source.prepare(sql).pluck().all() as string[]);
  all.delete('migrations');
  const sorted = new Set<string>();
  const add = (table: string): void => {
    if (sorted.has(table) || !all.delete(table)) return;
    for (const { table: parent } of source.pragma(`foreign_key_list(${quoted(table)})`) as { table: string }[])
      add(parent);
    sorted.add(table);
  };
  for (const table of all) add(table);
  return [...sorted];
}

interface MovedColumn {
  readonly name: string;
  /** The same text of a value on both databases, in SQL. A number would round an int64. */
  readonly onSqlite: string;
  readonly onPostgres: string;
}

async function columnsOf(source: SqliteConnection, runner: QueryRunner, table: string): Promise<MovedColumn[]> {
  const sql = `SELECT column_name AS "name", data_type AS "type" FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = $1`;
  const rows = (await runner.query(sql, [table])) as { name: string; type: string }[];
  if (rows.length === 0)
    throw new Error(
      `The target has no table ${table}, which no migration creates. Create it there, or drop it in the source.`,
    );
  const types = new Map(rows.map(({ name, type }) => [name, type]));
  return (source.pragma(`table_info(${quoted(table)})`) as { name: string }[]).map(({ name }) => {
    const column = quoted(name);
    const [onSqlite, onPostgres] = textsOf(column, types.get(name));
    return { name: column, onSqlite, onPostgres: `CAST(${onPostgres} AS TEXT)` };
  });
}

function textsOf(column: string, type?: string): readonly [onSqlite: string, onPostgres: string] {
  if (type === 'timestamp with time zone')
    return [`strftime('%Y-%m-%d %H:%M:%fZ', ${column})`, `to_char(${column} AT TIME ZONE 'UTC', '${TIMESTAMP_FORM}')`];
  if (type === 'bytea') return [`iif(${column} IS NULL, NULL, '\\x' || lower(hex(${column})))`, column];
  return [`CAST(${column} AS TEXT)`, type === 'boolean' ? `CAST(${column} AS INTEGER)` : column];
}

const TIMESTAMP_FORM = 'YYYY-MM-DD HH24:MI:SS.MS"Z"';

/** As text, which the target's columns convert. */
async function copyTable(
  source: SqliteConnection,
  runner: QueryRunner,
  table: string,
  columns: readonly MovedColumn[],
): Promise<Content> {
  const names = columns.map(({ name }) => name).join();
  const texts = columns.map(({ name, onSqlite }) => `${onSqlite} AS ${name}`).join();
  const content: Content = { rows: 0, sum: 0n };
  const insert = `INSERT INTO ${quoted(table)} (${names})
    SELECT ${names} FROM json_populate_recordset(NULL::${quoted(table)}, CAST($1 AS json))`;
  let batch: Row[] = [];
  const write = async () => {
    if (batch.length > 0) await runner.query(insert, [JSON.stringify(batch)]);
    batch = [];
  };
  for (const row of source.prepare(`SELECT ${texts} FROM ${quoted(table)}`).iterate() as Iterable<Row>) {
    content.rows += 1;
    content.sum += checksum(Object.values(row));
    batch.push(row);
    if (batch.length === ROWS_PER_STATEMENT) await write();
  }
  await write();
  return content;
}

/** Of the JSON of the values: 15 hexadecimal digits, so that PostgreSQL can add them up. */
function checksum(values: readonly (string | null)[]): bigint {
  return BigInt(`0x${hash('md5', values.map((value) => value ?? NULL_TEXT).join(SEPARATOR)).slice(0, 15)}`);
}

const NULL_TEXT = '\u001e';
const SEPARATOR = '\u001f';

async function compare(
  runner: QueryRunner,
  table: string,
  columns: readonly MovedColumn[],
  wanted: Content,
): Promise<void> {
  const texts = columns.map(({ onPostgres }) => `COALESCE(${onPostgres}, '${NULL_TEXT}')`);
  const digits = `substr(md5(concat_ws('${SEPARATOR}', ${texts.join()})), 1, 15)`;
  const sql = `SELECT CAST(COUNT(*) AS TEXT) AS "rows",
    CAST(COALESCE(SUM(CAST(CAST(CAST('x' || ${digits} AS bit(60)) AS bigint) AS numeric)), 0) AS TEXT) AS "sum" FROM ${quoted(table)}`;
  const [found] = (await runner.query(sql)) as { rows: string; sum: string }[];
  if (found?.rows !== String(wanted.rows) || found.sum !== String(wanted.sum))
    throw new Error(`The copy of ${table} differs: ${found?.rows} of ${wanted.rows} rows. Nothing was copied.`);
}

/** Identifiers are never reused, also those of rows that were removed. */
async function setSequences(source: SqliteConnection, runner: QueryRunner): Promise<void> {
  const all = source.prepare('SELECT "name", "seq" FROM "sqlite_sequence"').all() as { name: string; seq: number }[];
  for (const { name, seq } of all) {
    if (seq === 0) continue;
    const columns = source.pragma(`table_info(${quoted(name)})`) as { name: string; pk: number }[];
    const column = columns.find(({ pk }) => pk === 1);
    await runner.query('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [quoted(name), column?.name, seq]);
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
