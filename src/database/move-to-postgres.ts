import Sqlite, { type Database as SqliteConnection } from 'sqlite-driver';
import type { QueryRunner } from 'typeorm';
import type { Env } from '../platform/config/env.js';
import { migrateDatabase } from './database.module.js';
import type { DatabaseParts } from './database-options.js';
import { columnsOf, type Content, defineExactText, type MovedColumn, quoted, selectContent } from './moved-columns.js';
import { migrationOptions, postgresDataSource } from './postgres/postgres-options.js';

const ROWS_PER_STATEMENT = 1_000;
/** Each migrated database has rows in these. The identity is that of the source, which Redis knows. */
const OF_MIGRATIONS = new Set(['migrations', 'database_identity']);

export interface MovedTable {
  readonly table: string;
  readonly rows: number;
}

type Row = Readonly<Record<string, string | null>>;

/**
 * Copies an SQLite database, which no service may use, to an empty one on PostgreSQL: all or nothing. It compares the rows of
 * each table afterwards, and leaves the source as it is.
 * @param target settings whose DATABASE_URL names the target
 * @throws (rejects) Error if the target is not empty, the source is of another version or written meanwhile, or the copy
 * differs
 */
export async function moveToPostgres(sourceFile: string, target: Env, parts: DatabaseParts): Promise<MovedTable[]> {
  const url = String(target.DATABASE_URL);
  const source = new Sqlite(sourceFile, { readonly: true, fileMustExist: true });
  defineExactText(source);
  // One state of all tables: command lines take no lock.
  source.exec('BEGIN');
  const version = versionOf(source);
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
      moved.push({ table, rows: await copyTable(source, runner, table, columns) });
    }
    await setSequences(source, runner);
    source.exec('COMMIT');
    if (versionOf(source) !== version)
      throw new Error(
        'The source was written meanwhile, such as by a command line. Nothing was copied. Run the move again, and nothing else.',
      );
    await runner.commitTransaction();
    return moved;
  } finally {
    await runner.release();
    await dataSource.destroy();
    source.close();
  }
}

/** Changes by a commit of another connection. In a transaction, it begins to read. */
function versionOf(source: SqliteConnection): unknown {
  return source.pragma('data_version', { simple: true });
}

async function checkEmpty(runner: QueryRunner): Promise<void> {
  const sql = `SELECT table_name AS "table" FROM information_schema.tables
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`;
  for (const { table } of (await runner.query(sql)) as { table: string }[]) {
    if (OF_MIGRATIONS.has(table)) continue;
    const rows = (await runner.query(`SELECT 1 FROM ${quoted(table)} LIMIT 1`)) as unknown[];
    if (rows.length > 0)
      throw new Error(
        `The target is not empty: its table ${table} has rows. If a migration inserted them, delete them there first: the move brings those of the source. Nothing was copied.`,
      );
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
      `The target lacks migrations: ${unknown.join(', ')}. Run those of your extensions on it first, with migrate(loadEnv(), extensions), or use the version of the service that ran them.`,
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

/** @returns how many rows it copied @throws (rejects) Error if the copy differs */
async function copyTable(
  source: SqliteConnection,
  runner: QueryRunner,
  table: string,
  columns: readonly MovedColumn[],
): Promise<number> {
  const names = columns.map(({ name }) => name).join();
  // As text, which the target's columns convert.
  const insert = `INSERT INTO ${quoted(table)} (${names})
    SELECT ${names} FROM json_populate_recordset(NULL::${quoted(table)}, CAST($1 AS json))`;
  const wanted = await contentOfSource(source, runner, table, columns, `WITH "copied" AS (${insert})`);
  const found = await contentOfTarget(runner, table, columns);
  if (found.rows !== wanted.rows)
    throw new Error(`The copy of ${table} has ${found.rows} of ${wanted.rows} rows. Nothing was copied.`);
  if (found.sum === wanted.sum) return found.rows;
  const differing: string[] = [];
  for (const column of columns) {
    const { sum } = await contentOfSource(source, runner, table, [column]);
    if (sum !== (await contentOfTarget(runner, table, [column])).sum) differing.push(column.name);
  }
  throw new Error(
    `The copy of ${table} differs in ${differing.join(', ')}, whose type there does not keep all values. Nothing was copied.`,
  );
}

/**
 * PostgreSQL reads the values of both sides, because it alone knows which of its texts are equal.
 * @param copy what to do with the rows before, which are the JSON $1
 */
async function contentOfSource(
  source: SqliteConnection,
  runner: QueryRunner,
  table: string,
  columns: readonly MovedColumn[],
  copy = '',
): Promise<Content> {
  const texts = columns.map(({ name, text }) => `${text} AS ${name}`).join();
  const types = columns.map(({ name }) => `${name} TEXT`).join();
  const sql = `${copy} ${selectContent(columns)} FROM json_to_recordset(CAST($1 AS json)) AS "source" (${types})`;
  let [rows, sum] = [0, 0n];
  const all = source.prepare(`SELECT ${texts} FROM ${quoted(table)}`).iterate() as Iterable<Row>;
  for (const batch of batchesOf(all)) {
    const content = await readContent(runner, sql, [JSON.stringify(batch)]);
    rows += content.rows;
    sum += content.sum;
  }
  return { rows, sum };
}

function* batchesOf(rows: Iterable<Row>): Generator<Row[]> {
  let batch: Row[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < ROWS_PER_STATEMENT) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function contentOfTarget(runner: QueryRunner, table: string, columns: readonly MovedColumn[]): Promise<Content> {
  return readContent(runner, `${selectContent(columns)} FROM ${quoted(table)}`);
}

async function readContent(runner: QueryRunner, sql: string, parameters: string[] = []): Promise<Content> {
  const [found] = (await runner.query(sql, parameters)) as { rows: string; sum: string }[];
  return { rows: Number(found?.rows), sum: BigInt(found?.sum ?? 0) };
}

/** Identifiers are never reused, also those of rows that were removed. */
async function setSequences(source: SqliteConnection, runner: QueryRunner): Promise<void> {
  // As text, because a number would round an int64. The target has its own migrations.
  const sql = `SELECT "name", CAST("seq" AS TEXT) AS "seq" FROM "sqlite_sequence"
    WHERE "seq" > 0 AND "name" <> 'migrations'`;
  for (const { name, seq } of source.prepare(sql).all() as { name: string; seq: string }[]) {
    const columns = source.pragma(`table_info(${quoted(name)})`) as { name: string; pk: number }[];
    const column = columns.find(({ pk }) => pk === 1);
    const set = 'SELECT setval(pg_get_serial_sequence($1, $2), CAST($3 AS BIGINT))';
    await runner.query(set, [quoted(name), column?.name, seq]);
  }
}
