import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Database as SqliteConnection } from 'better-sqlite3';
import type { DataSourceOptions, MigrationInterface } from 'typeorm';
import { MIGRATIONS } from './migrations/index.js';

/** What a feature adds to the database. */
export interface DatabaseParts {
  readonly entities: readonly (new () => object)[];
  /** Run in the order of the timestamps in their names, together with the service's own. */
  readonly migrations?: readonly (new () => MigrationInterface)[];
}

/** Where the data lies when DATABASE_URL is not set. */
export const EMBEDDED_DATABASE_URL = 'sqlite:data/petstore.sqlite';

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
