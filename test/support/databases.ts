import { renameSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { SqliteTestDatabase } from '../../src/testing/test-database.js';
import { PostgresTestDatabase } from './servers/postgres-test-database.js';

export { makeFolder } from './temporary.js';

/*
 * Each folder identifies one database: a SQLite file in the folder, or, in the jest project `postgres`, a database on the
 * server that all tests of that project share.
 */

declare global {
  /** Set by the jest project. */
  var TEST_DATABASE: 'postgres' | undefined;
}

export const onPostgres = globalThis.TEST_DATABASE === 'postgres';

/** For a busy machine. */
export const PATIENT = { DATABASE_TIMEOUT_MS: '60000', DATABASE_TRANSACTION_TIMEOUT_MS: '60000' };

/** Returns the database of a folder. It may not exist yet. */
export function databaseOf(folder: string): SqliteTestDatabase | PostgresTestDatabase {
  return onPostgres ? onSharedServer(folder) : new SqliteTestDatabase(folder);
}

export function databaseUrl(folder: string): string {
  return databaseOf(folder).url;
}

/** Creates the database of a folder if it does not exist, on PostgreSQL with all tables. Returns its URL. */
export async function openDatabase(folder: string): Promise<string> {
  if (onPostgres) await onSharedServer(folder).create();
  return databaseUrl(folder);
}

/** Runs a statement directly on the database of a folder, even while the service uses it. */
export function queryDatabase<Row extends object>(folder: string, sql: string): Promise<Row[]> {
  return databaseOf(folder).query<Row>(sql);
}

export async function withoutDatabase<T>(
  database: SqliteTestDatabase | PostgresTestDatabase,
  work: () => Promise<T>,
): Promise<T> {
  const isFile = database instanceof SqliteTestDatabase;
  if (isFile) renameSync(database.path, `${database.path}.moved`);
  else await database.refuseConnections();
  try {
    return await work();
  } finally {
    if (isFile) renameSync(`${database.path}.moved`, database.path);
    else await database.allowConnections();
  }
}

export async function removeDatabase(folder: string): Promise<void> {
  await databaseOf(folder).remove();
  rmSync(folder, { recursive: true, force: true });
}

export function onSharedServer(folder: string): PostgresTestDatabase {
  return new PostgresTestDatabase(String(process.env['TEST_POSTGRES_URL']), basename(folder));
}
