import type { DataSource } from 'typeorm';
import { ACCOUNT_ENTITIES } from './accounts/index.js';
import { API_KEY_ENTITIES } from './api-keys/index.js';
import { CATEGORY_ENTITIES } from './categories/index.js';
import type { Env } from './config/index.js';
import { commandLineDataSource, type DatabaseParts, databaseUrlOf } from './database/index.js';
import { IDEMPOTENCY_ENTITIES } from './idempotency/index.js';
import { PET_ENTITIES } from './pets/index.js';
import { COUNTER_ENTITIES } from './rate-limit/index.js';
import { STORE_ENTITIES } from './store/index.js';

/** All entities and migrations of the service and its extensions. */
export function databaseParts(extensions: readonly Partial<DatabaseParts>[]): DatabaseParts {
  return {
    entities: [
      ...PET_ENTITIES,
      ...CATEGORY_ENTITIES,
      ...ACCOUNT_ENTITIES,
      ...API_KEY_ENTITIES,
      ...COUNTER_ENTITIES,
      ...IDEMPOTENCY_ENTITIES,
      ...STORE_ENTITIES,
      ...extensions.flatMap(({ entities = [] }) => entities),
    ],
    migrations: extensions.flatMap(({ migrations = [] }) => migrations),
  };
}

/** The data source for the typeorm command line, which its configuration file exports. */
export function createDataSource(env: Env, extensions: readonly Partial<DatabaseParts>[] = []): DataSource {
  return commandLineDataSource(databaseUrlOf(env), databaseParts(extensions));
}
