import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, mkdtempSync, openSync } from 'node:fs';
import { realpathSync, renameSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite, { type Database as SqliteConnection } from 'sqlite-driver';
import { driverCode, isBusy } from '../unavailable.js';

/** The file that a `sqlite:` URL names; `sqlite::memory:` is a private file in the temporary directory. */
export function sqliteFile(databaseUrl: string): string {
  if (databaseUrl !== 'sqlite::memory:') return resolve(databaseUrl.slice('sqlite:'.length));
  // Two connections cannot share a database in memory, and reads have their own.
  const folder = mkdtempSync(join(tmpdir(), 'petstore-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'petstore.sqlite');
}

/**
 * The file of a database that other processes use too.
 * @param canBeNew whether it can be missing; otherwise a mistyped name would make an empty database
 * @throws Error that says what to check if there is none
 */
export function sharedFile(databaseUrl: string, canBeNew = false): string {
  if (databaseUrl === 'sqlite::memory:')
    throw new Error('DATABASE_URL is an in-memory database, which other processes cannot access. Set it to a file.');
  const file = sqliteFile(databaseUrl);
  if (canBeNew || existsSync(file)) return file;
  throw new Error(
    `There is no database at ${file}. Check DATABASE_URL and ENVIRONMENT; the service and "keys create" create new databases.`,
  );
}

/** Creates a file, and its folders, that only this user can read, unless it exists. SQLite's other files get its mode. */
function createPrivateFile(file: string): void {
  createFolder(dirname(file));
  closeSync(openSync(file, 'a', 0o600));
}

/** Creates a private file for an SQLite database, or beside one. @throws Error that says what to do */
export function createDatabaseFile(file: string): void {
  try {
    createPrivateFile(file);
  } catch (cause) {
    const advice = 'Set DATABASE_URL to a writable file in a writable folder.';
    throw new Error(`${(cause as Error).message}. ${advice}`, { cause });
  }
}

/** `mkdirSync` with `recursive` never returns if a parent can have no folders, as in `/proc`. */
function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  createFolder(dirname(folder));
  mkdirSync(folder, 0o700);
}

/** Open until the process ends. */
const locks: SqliteConnection[] = [];

/**
 * Keeps a second service from the same database file: each would count requests and cache pets for itself. The lock is a
 * transaction on a file beside the database, so it ends with the process, however that ends. Command lines take none.
 * @throws Error that names the process that has the lock
 */
export function lockDatabaseFile(databaseFile: string): void {
  createDatabaseFile(databaseFile);
  // A link to the file is the same database.
  const file = `${realpathSync(databaseFile)}-lock`;
  createDatabaseFile(file);
  const lock = new Sqlite(file, { timeout: 0 });
  try {
    lock.exec('BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS "holder" ("name" TEXT NOT NULL); DELETE FROM "holder"');
    lock.prepare('INSERT INTO "holder" VALUES (?)').run(`Process ${process.pid} on ${hostname()}`);
    // Others can read this row while the next transaction holds the lock.
    lock.exec('COMMIT; BEGIN IMMEDIATE');
    locks.push(lock);
  } catch (error) {
    const holder = isBusy(error) ? lock.prepare('SELECT "name" FROM "holder"').pluck().get() : undefined;
    lock.close();
    if (holder === undefined) throw error;
    throw new Error(
      `${String(holder)} already serves ${databaseFile}. Only one service can use an SQLite database; use PostgreSQL for several.`,
      { cause: error },
    );
  }
}

/** How long a start waits for a service that stops, such as the one before a change in development. */
const LOCK_WAIT_MS = 5_000;

/** Locks the file at a start, when another service may be about to release it. */
export async function awaitDatabaseFile(databaseFile: string): Promise<void> {
  for (const endMs = performance.now() + LOCK_WAIT_MS; ; await delay(50)) {
    try {
      return lockDatabaseFile(databaseFile);
    } catch (error) {
      if (performance.now() > endMs || !isBusy((error as Error).cause)) throw error;
    }
  }
}

/**
 * Copies a database, also while a service writes to it. The copy has the state at the beginning, and only the user of this
 * process can read it. It appears under its name when it is complete and verified.
 * @throws Error if the target exists, or the copy is not intact
 */
export function backUp(databaseFile: string, target: string): void {
  if (existsSync(target)) throw new Error(`EEXIST: ${target} exists already.`);
  // Its own, so that backups at the same time do not write the same file. Killed, it leaves this one.
  const incomplete = `${target}-incomplete-${randomUUID()}`;
  try {
    createPrivateFile(incomplete);
    const source = new Sqlite(databaseFile, { readonly: true, fileMustExist: true });
    copyInto(incomplete, source);
    source.close();
    const copy = new Sqlite(incomplete);
    const result: unknown = copy.pragma('integrity_check', { simple: true });
    copy.close();
    if (result !== 'ok') throw new Error(`The copy is not intact: ${String(result)}`);
    sync(incomplete);
    renameSync(incomplete, target);
    sync(dirname(target));
  } catch (error) {
    rmSync(incomplete, { force: true });
    throw error;
  }
}

function copyInto(target: string, source: SqliteConnection): void {
  try {
    source.prepare('VACUUM INTO ?').run(target);
  } catch (cause) {
    // Neither the file of the database nor its disk is meant, unless it is its -shm file: the copy has none.
    if (/^SQLITE_(FULL|IOERR(?!_SHM))/.test(driverCode(cause)))
      throw new Error(`${target} cannot be written: ${String(cause)}`, { cause });
    throw cause;
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
