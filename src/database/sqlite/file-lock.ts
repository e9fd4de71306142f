import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import Sqlite, { type Database as SqliteConnection } from 'sqlite-driver';
import { isBusy } from '../unavailable.js';
import { createPrivateFile } from './sqlite-file.js';

/** Held until the process ends. */
const held: SqliteConnection[] = [];

/**
 * Keeps a second service from the same database file: each would count requests and cache pets for itself. The lock is a
 * transaction on a file beside the database, so it ends with the process, however that ends. Command lines take none.
 * @throws Error that names the process that has the lock
 */
export function lockDatabaseFile(databaseFile: string): void {
  createPrivateFile(databaseFile);
  // A link to the file is the same database.
  const file = `${realpathSync(databaseFile)}-lock`;
  createPrivateFile(file);
  const lock = new Sqlite(file, { timeout: 0 });
  try {
    lock.exec('BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS "holder" ("name" TEXT NOT NULL); DELETE FROM "holder"');
    lock.prepare('INSERT INTO "holder" VALUES (?)').run(`Process ${process.pid} on ${hostname()}`);
    // Others can read this row while the next transaction holds the lock.
    lock.exec('COMMIT; BEGIN IMMEDIATE');
    held.push(lock);
  } catch (error) {
    const holder = isBusy(error) ? lock.prepare('SELECT "name" FROM "holder"').pluck().get() : undefined;
    lock.close();
    if (holder === undefined) throw error;
    throw new Error(
      `${String(holder)} already serves ${databaseFile}. An SQLite database has one service; use PostgreSQL for several.`,
      { cause: error },
    );
  }
}
