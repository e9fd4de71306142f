import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Client } from 'pg';

/*
 * Each folder stands for a database of its own: a file in it or, where jest runs the project `postgres`, a database on
 * the server that all tests of that project share.
 */

declare global {
  /** Set by the jest project. */
  var TEST_DATABASE: 'postgres' | undefined;
}

export const onPostgres = globalThis.TEST_DATABASE === 'postgres';

/** A new folder. */
export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'petstore-test-'));
}

/** Value of DATABASE_URL for the database of a folder. */
export function databaseUrl(folder: string): string {
  return onPostgres ? postgresUrl(nameOf(folder)) : `sqlite:${sqliteFile(folder)}`;
}

/** Makes the database of a folder, unless it is there, and gives back its URL. */
export async function openDatabase(folder: string): Promise<string> {
  if (onPostgres) {
    const [existing] = await ask('postgres', `SELECT FROM pg_database WHERE datname = '${nameOf(folder)}'`);
    if (existing === undefined) await ask('postgres', `CREATE DATABASE "${nameOf(folder)}"`);
  }
  return databaseUrl(folder);
}

/** Runs a statement on the database of a folder past the service, which may be using it. */
export async function queryDatabase<Row extends object>(folder: string, sql: string): Promise<Row[]> {
  if (onPostgres) return ask<Row>(nameOf(folder), sql);
  const database = new Sqlite(sqliteFile(folder));
  try {
    const statement = database.prepare<unknown[], Row>(sql);
    if (statement.reader) return statement.all();
    statement.run();
    return [];
  } finally {
    database.close();
  }
}

/** Deletes a folder and the database that it stands for, whoever uses them. */
export async function removeDatabase(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  if (onPostgres) await ask('postgres', `DROP DATABASE IF EXISTS "${nameOf(folder)}" WITH (FORCE)`);
}

/** Takes the database of a folder, which is on PostgreSQL, from everybody who uses it. */
export async function takeAway(folder: string): Promise<void> {
  await ask('postgres', `ALTER DATABASE "${nameOf(folder)}" ALLOW_CONNECTIONS false`);
  await ask('postgres', `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${nameOf(folder)}'`);
}

/** Ends `takeAway`. */
export async function giveBack(folder: string): Promise<void> {
  await ask('postgres', `ALTER DATABASE "${nameOf(folder)}" ALLOW_CONNECTIONS true`);
}

const sqliteFile = (folder: string) => join(folder, 'petstore.sqlite');
const nameOf = (folder: string) => basename(folder);
const postgresUrl = (database: string) => `${process.env['TEST_POSTGRES_URL']}${database}`;

/** Over a connection of its own. */
async function ask<Row extends object>(database: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: postgresUrl(database) });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
