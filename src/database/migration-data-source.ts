import { existsSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { type DatabaseParts, isPostgresUrl } from './database-options.js';
import { postgresDataSource } from './postgres/open-postgres.js';
import { migrationOptions } from './postgres/postgres-options.js';
import { createPrivateFile, MEMORY_URL, sqliteFile, sqliteOptions } from './sqlite/sqlite-options.js';

/** A data source for the typeorm command line: not open yet, with one connection and without time limits. */
export function commandLineDataSource(databaseUrl: string, parts: DatabaseParts): DataSource {
  if (isPostgresUrl(databaseUrl)) return postgresDataSource(migrationOptions(databaseUrl, parts));
  const file = sqliteFile(databaseUrl);
  createPrivateFile(file);
  return new DataSource(sqliteOptions(file, parts));
}

/** Names of the migrations that have run on a database, which may be empty, or a file that is not there yet. */
export async function executedMigrations(databaseUrl: string): Promise<ReadonlySet<string>> {
  if (!isPostgresUrl(databaseUrl) && (databaseUrl === MEMORY_URL || !existsSync(sqliteFile(databaseUrl))))
    return new Set();
  const dataSource = await commandLineDataSource(databaseUrl, { entities: [] }).initialize();
  try {
    const runner = dataSource.createQueryRunner();
    if (!(await runner.hasTable('migrations'))) return new Set();
    const rows = await runner.manager.query<{ name: string }[]>('SELECT "name" FROM "migrations"');
    return new Set(rows.map(({ name }) => name));
  } finally {
    await dataSource.destroy();
  }
}
