import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import Sqlite, { type Database as SqliteConnection } from 'sqlite-driver';
import type { DataSourceOptions } from 'typeorm';
import type { DatabaseParts } from '../database-options.js';
import { MIGRATIONS } from '../migrations/index.js';

export const MEMORY_URL = 'sqlite::memory:';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** The file that a `sqlite:` URL names; `sqlite::memory:` is a private file in the temporary directory. */
export function sqliteFile(databaseUrl: string): string {
  // Two connections cannot share a database in memory, and reads have their own.
  return databaseUrl === MEMORY_URL ? temporaryFile() : resolve(databaseUrl.slice('sqlite:'.length));
}

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'petstore.sqlite');
}

/**
 * Creates a database file, and its folders, that only the user of this process can read. Existing files and folders are
 * kept. SQLite gives its other files the mode of the database.
 */
export function createPrivateFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
  closeSync(openSync(file, 'a', FILE_MODE));
}

/** The connection for serialised writes. */
export function sqliteOptions(file: string, parts: DatabaseParts): DataSourceOptions {
  return {
    type: 'better-sqlite3',
    driver: Sqlite,
    database: file,
    entities: [...parts.entities],
    logging: false,
    migrations: [...MIGRATIONS, ...(parts.migrations ?? [])],
    prepareDatabase: (connection: SqliteConnection) => {
      connection.pragma('journal_mode = WAL');
      // WAL alone syncs only at checkpoints, so a power cut would lose acknowledged writes.
      connection.pragma('synchronous = FULL');
    },
  };
}
