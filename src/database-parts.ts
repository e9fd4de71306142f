import type { DataSource } from 'typeorm';
import { Account, AuditRecord, ApiKey } from './accounts/index.js';
import { CategoryEntity } from './categories/index.js';
import type { Env } from './platform/index.js';
import { commandLineDataSource, type DatabaseParts, databaseUrlOf, migrateDatabase } from './database/index.js';
import { IdempotencyRecord } from './http/index.js';
import { PetEntity } from './pets/index.js';
import { UsageWindow, KeyBan } from './rate-limit/index.js';
import { OrderEntity } from './store/index.js';

export function databaseParts(extensions: readonly Partial<DatabaseParts>[]): DatabaseParts {
  return {
    entities: [
      PetEntity,
      CategoryEntity,
      Account,
      AuditRecord,
      ApiKey,
      UsageWindow,
      KeyBan,
      IdempotencyRecord,
      OrderEntity,
      ...extensions.flatMap(({ entities = [] }) => entities),
    ],
    migrations: extensions.flatMap(({ migrations = [] }) => migrations),
  };
}

/** The data source for the typeorm command line, which its configuration file exports. */
export function createDataSource(env: Env, extensions: readonly Partial<DatabaseParts>[] = []): DataSource {
  return commandLineDataSource(databaseUrlOf(env), databaseParts(extensions));
}

/** Runs the pending migrations of the service and its extensions, with `MIGRATE_ON_START=false` for the service. */
export function migrate(env: Env, extensions: readonly Partial<DatabaseParts>[] = []): Promise<void> {
  return migrateDatabase(env, databaseParts(extensions));
}
