import type { DataSource } from 'typeorm';
import { Account } from './auth/keys/account.entity.js';
import { AuditRecord } from './auth/keys/audit-record.entity.js';
import { ApiKey } from './auth/keys/api-key.entity.js';
import type { Env } from './platform/config/env.js';
import { undefinedParts } from './extensions/app-options.js';
import { refuseFaultsOf } from './platform/errors/extension-error.js';
import { commandLineDataSource, migrateDatabase } from './database/database.module.js';
import { type DatabaseParts, databaseUrlOf } from './database/database-options.js';
import { EventDelivery, EventSubscription } from './database/events/delivery/event-delivery.entity.js';
import { LoggedEvent } from './database/events/logged-event.entity.js';
import { IdempotencyRecord } from './http/idempotency/idempotency-record.entity.js';
import { UsageWindow } from './rate-limit/persistence/usage-window.entity.js';
import { KeyBan } from './rate-limit/persistence/key-ban.entity.js';
import { CategoryEntity } from './categories/index.js';
import { PetEntity } from './pets/index.js';
import { OrderEntity } from './store/index.js';
import { WebhookEntity } from './webhooks/index.js';

const ENTITIES = [
  Account,
  AuditRecord,
  ApiKey,
  UsageWindow,
  KeyBan,
  IdempotencyRecord,
  LoggedEvent,
  EventSubscription,
  EventDelivery,
  PetEntity,
  CategoryEntity,
  OrderEntity,
  WebhookEntity,
];

/** @throws ExtensionError if a class is undefined */
export function databaseParts(extensions: readonly Partial<DatabaseParts>[]): DatabaseParts {
  refuseFaultsOf(extensions, undefinedParts);
  return {
    entities: [...ENTITIES, ...extensions.flatMap(({ entities = [] }) => entities)],
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
