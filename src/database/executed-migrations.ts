import { existsSync } from 'node:fs';
import Sqlite from 'sqlite-driver';
import { EMBEDDED_DATABASE_URL, isPostgresUrl } from './database-options.js';
import { postgresDataSource } from './postgres/open-postgres.js';
import { migrationOptions } from './postgres/postgres-options.js';
import { MEMORY_URL, sqliteFile } from './sqlite/sqlite-options.js';

interface Named {
  readonly name: string;
}

const NAMES = 'SELECT "name" FROM "migrations"';

/** Names of the migrations that have run on a database, which may be empty, or a file that is not there yet. */
export async function executedMigrations(databaseUrl = EMBEDDED_DATABASE_URL): Promise<ReadonlySet<string>> {
  const rows = isPostgresUrl(databaseUrl) ? await executedOnPostgres(databaseUrl) : executedOnSqlite(databaseUrl);
  return new Set(rows.map(({ name }) => name));
}

async function executedOnPostgres(databaseUrl: string): Promise<Named[]> {
  const dataSource = await postgresDataSource(migrationOptions(databaseUrl, { entities: [] })).initialize();
  try {
    const [table] = await dataSource.query<{ name: string | null }[]>('SELECT to_regclass(\'migrations\') AS "name"');
    return typeof table?.name === 'string' ? await dataSource.query<Named[]>(NAMES) : [];
  } finally {
    await dataSource.destroy();
  }
}

function executedOnSqlite(databaseUrl: string): Named[] {
  const file = databaseUrl === MEMORY_URL ? '' : sqliteFile(databaseUrl);
  if (!existsSync(file)) return [];
  const connection = new Sqlite(file, { readonly: true });
  try {
    const table = connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'migrations'").get();
    return table === undefined ? [] : connection.prepare<[], Named>(NAMES).all();
  } finally {
    connection.close();
  }
}
