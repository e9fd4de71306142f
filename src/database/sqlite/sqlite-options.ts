import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Sqlite, { type Database as SqliteConnection } from 'sqlite-driver';
import type { DataSourceOptions } from 'typeorm';
import type { DatabaseParts } from '../database-parts.js';
import { MIGRATIONS } from '../migrations/index.js';

export const MEMORY_URL = 'sqlite::memory:';

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
