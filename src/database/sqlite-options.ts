import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Database as SqliteConnection } from 'better-sqlite3';
import type { DataSourceOptions } from 'typeorm';
import type { DatabaseParts } from './database-parts.js';
import { MIGRATIONS } from './migrations/index.js';

/** Name of the data source that reads go through. */
export const READER = 'reader';

/** The file that a `sqlite:` URL names; `sqlite::memory:` is a private file in the temporary directory. */
export function sqliteFile(databaseUrl: string): string {
  const path = databaseUrl.slice('sqlite:'.length);
  // Two connections can't share a database in memory, and reads need one of their own.
  return path === ':memory:' ? temporaryFile() : resolve(path);
}

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'petstore.sqlite');
}

/** The connection that all writes go through, one at a time. */
export function writerOptions(file: string, parts: DatabaseParts): DataSourceOptions {
  return {
    ...sqliteOptions(file, parts),
    migrations: [...MIGRATIONS, ...(parts.migrations ?? [])],
    prepareDatabase: (connection: SqliteConnection) => {
      connection.pragma('journal_mode = WAL');
      // WAL alone syncs at checkpoints only: a power cut would take acknowledged writes with it.
      connection.pragma('synchronous = FULL');
    },
  };
}

/** The connection that reads go through, undisturbed by the writer's open transaction. */
export function readerOptions(file: string, parts: DatabaseParts): DataSourceOptions {
  return { ...sqliteOptions(file, parts), readonly: true };
}

function sqliteOptions(file: string, parts: DatabaseParts) {
  return { type: 'better-sqlite3' as const, database: file, entities: [...parts.entities], logging: false as const };
}
