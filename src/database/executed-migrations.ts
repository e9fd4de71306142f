import { existsSync } from 'node:fs';
import { commandLineDataSource } from './command-line-data-source.js';
import { EMBEDDED_DATABASE_URL, isPostgresUrl } from './database-options.js';
import { MEMORY_URL, sqliteFile } from './sqlite/sqlite-options.js';

/** Names of the migrations that have run on a database, which may be empty, or a file that is not there yet. */
export async function executedMigrations(databaseUrl = EMBEDDED_DATABASE_URL): Promise<ReadonlySet<string>> {
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
