import { Logger } from '@nestjs/common';
import type { MigrationExecutor } from 'typeorm';
import { Initial1795219200000 } from './1795219200000-initial.js';
import { AuditByKey1795222800000 } from './1795222800000-audit-by-key.js';
import { Categories1795226400000 } from './1795226400000-categories.js';
import { Idempotency1795230000000 } from './1795230000000-idempotency.js';
import { Orders1795233600000 } from './1795233600000-orders.js';
import { ApiKeyLifetimes1795237200000 } from './1795237200000-api-key-lifetimes.js';
import { CategoryCountsNotNegative1795240800000 } from './1795240800000-category-counts-not-negative.js';
import { ApiKeyNames1795244400000 } from './1795244400000-api-key-names.js';
import { PetsByCategory1795248000000 } from './1795248000000-pets-by-category.js';
import { CategoryCountsUnused1795251600000 } from './1795251600000-category-counts-unused.js';
import { PlacedOrders1795258800000 } from './1795258800000-placed-orders.js';
import { ApiKeyPauses1795262400000 } from './1795262400000-api-key-pauses.js';
import { UsageHistory1795266000000 } from './1795266000000-usage-history.js';
import { DatabaseIdentity1795269600000 } from './1795269600000-database-identity.js';
import { AuditByAccount1795273200000 } from './1795273200000-audit-by-account.js';
import { EventLog1795276800000 } from './1795276800000-event-log.js';
import { EventDeliveries1795280400000 } from './1795280400000-event-deliveries.js';
import { Webhooks1795284000000 } from './1795284000000-webhooks.js';
import { AccountSuspensions1795287600000 } from './1795287600000-account-suspensions.js';
import { KeyNetworks1795291200000 } from './1795291200000-key-networks.js';

/** The service's migrations, oldest first. */
export const MIGRATIONS = [
  Initial1795219200000,
  AuditByKey1795222800000,
  Categories1795226400000,
  Idempotency1795230000000,
  Orders1795233600000,
  ApiKeyLifetimes1795237200000,
  CategoryCountsNotNegative1795240800000,
  ApiKeyNames1795244400000,
  PetsByCategory1795248000000,
  CategoryCountsUnused1795251600000,
  PlacedOrders1795258800000,
  ApiKeyPauses1795262400000,
  UsageHistory1795266000000,
  DatabaseIdentity1795269600000,
  AuditByAccount1795273200000,
  EventLog1795276800000,
  EventDeliveries1795280400000,
  Webhooks1795284000000,
  AccountSuspensions1795287600000,
  KeyNetworks1795291200000,
];

export async function pendingMigrations(executor: MigrationExecutor): Promise<string[]> {
  return (await executor.getPendingMigrations()).map(({ name }) => name);
}

export async function runPendingMigrations(executor: MigrationExecutor): Promise<void> {
  const pending = await pendingMigrations(executor);
  if (pending.length > 0) new Logger('Migrations').log({ message: 'running migrations', pending });
  try {
    await executor.executePendingMigrations();
  } catch (error) {
    // TypeORM does not say which. It is the first one that has not run.
    const [failed] = await pendingMigrations(executor).catch(() => []);
    if (error instanceof Error && failed !== undefined) error.message = `Migration ${failed}: ${error.message}`;
    throw error;
  }
}
