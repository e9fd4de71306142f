import { DataSource } from 'typeorm';
import { type DatabaseParts, EMBEDDED_DATABASE_URL, isPostgresUrl } from './database-options.js';
import { postgresDataSource } from './postgres/open-postgres.js';
import { migrationOptions } from './postgres/postgres-options.js';
import { createPrivateFile, sqliteFile, sqliteOptions } from './sqlite/sqlite-options.js';

/** A data source for the typeorm command line: not open yet, with one connection and without time limits. */
export function commandLineDataSource(databaseUrl = EMBEDDED_DATABASE_URL, parts: DatabaseParts): DataSource {
  if (isPostgresUrl(databaseUrl)) return postgresDataSource(migrationOptions(databaseUrl, parts));
  const file = sqliteFile(databaseUrl);
  createPrivateFile(file);
  return new DataSource(sqliteOptions(file, parts));
}
