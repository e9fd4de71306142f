import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PostgresTestDatabase, SqliteTestDatabase, type TestDatabase } from '../../src/testing/test-database.js';

/*
 * Each folder stands for a database of its own: a file in it or, where jest runs the project `postgres`, a database on
 * the server that all tests of that project share.
 */

declare global {
  /** Set by the jest project. */
  var TEST_DATABASE: 'postgres' | undefined;
}

export const onPostgres = globalThis.TEST_DATABASE === 'postgres';

/** Settings that leave PostgreSQL time on a machine that is busy with other tests. SQLite ignores them. */
export const PATIENT = { DATABASE_POOL_WAIT_MS: '10000', DATABASE_STATEMENT_TIMEOUT_MS: '10000' };

/** A new folder. */
export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'petstore-test-'));
}

/** The database of a folder, which may not be there yet. */
export function databaseOf(folder: string): TestDatabase {
  return onPostgres ? onSharedServer(folder) : new SqliteTestDatabase(folder);
}

/** Value of DATABASE_URL for the database of a folder. */
export function databaseUrl(folder: string): string {
  return databaseOf(folder).url;
}

/** Makes the database of a folder, unless it is there, and returns its URL. */
export async function openDatabase(folder: string): Promise<string> {
  if (onPostgres) await onSharedServer(folder).create();
  return databaseUrl(folder);
}

/** Runs a statement on the database of a folder past the service, which may be using it. */
export function queryDatabase<Row extends object>(folder: string, sql: string): Promise<Row[]> {
  return databaseOf(folder).query<Row>(sql);
}

/** Deletes a folder and the database that it stands for, whoever uses them. */
export async function removeDatabase(folder: string): Promise<void> {
  await databaseOf(folder).remove();
  rmSync(folder, { recursive: true, force: true });
}

/** The database of a folder on the server that tests share. */
export function onSharedServer(folder: string): PostgresTestDatabase {
  return new PostgresTestDatabase(String(process.env['TEST_POSTGRES_URL']), basename(folder));
}
