import { DataSource } from 'typeorm';
import type { DatabaseParts } from './database-parts.js';
import { EMBEDDED_DATABASE_URL, isPostgres } from './database-url.js';
import { postgresDataSource } from './open-postgres.js';
import { migrationOptions } from './postgres-options.js';
import { sqliteFile, writerOptions } from './sqlite-options.js';

/** A data source that is not open yet, on one connection and without time limits, as the typeorm command line wants it. */
export function commandLineDataSource(databaseUrl = EMBEDDED_DATABASE_URL, parts: DatabaseParts): DataSource {
  return isPostgres(databaseUrl)
    ? postgresDataSource(migrationOptions(databaseUrl, parts))
    : new DataSource(writerOptions(sqliteFile(databaseUrl), parts));
}
