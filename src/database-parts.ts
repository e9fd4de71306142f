import { DataSource } from 'typeorm';
import { ACCOUNT_ENTITIES } from './auth/index.js';
import type { Env } from './config/index.js';
import { type DatabaseParts, EMBEDDED_DATABASE_URL, sqliteFile, writerOptions } from './database/index.js';
import { PET_ENTITIES } from './pets/index.js';
import { COUNTER_ENTITIES } from './rate-limit/index.js';

/** Everything that the service and its extensions keep in the database. */
export function databaseParts(extensions: readonly Partial<DatabaseParts>[]): DatabaseParts {
  return {
    entities: [...PET_ENTITIES, ...ACCOUNT_ENTITIES, ...COUNTER_ENTITIES, ...extensions.flatMap(({ entities = [] }) => entities)],
    migrations: extensions.flatMap(({ migrations = [] }) => migrations),
  };
}

/** The data source for the typeorm command line, which takes the one that its configuration file exports. */
export function createDataSource(env: Env, extensions: readonly Partial<DatabaseParts>[] = []): DataSource {
  return new DataSource(writerOptions(sqliteFile(env.DATABASE_URL ?? EMBEDDED_DATABASE_URL), databaseParts(extensions)));
}
