import 'reflect-metadata';
import { userInfo } from 'node:os';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ACCOUNT_TABLES } from '../account-tables.js';
import { AccountsService } from '../accounts/accounts.service.js';
import type { KeysCommand, KeysServices } from '../accounts/cli/keys-command.js';
import { KeysService } from '../accounts/keys/keys.service.js';
import { ApiKeysRepository, KeyChanges } from '../auth/keys/api-keys.repository.js';
import { runAs } from '../database/events/actor.js';
import { Deliveries } from '../database/events/delivery/deliveries.js';
import { EventsModule } from '../database/events/events.js';
import { DatabaseModule } from '../database/database.module.js';
import { databaseUrlOf, isPostgresUrl } from '../database/database-options.js';
import { explained } from '../database/unavailable.js';
import { sharedFile } from '../database/sqlite/sqlite-file.js';
import { Clock } from '../platform/config/clock.js';
import { ConfigModule } from '../platform/config/config.module.js';
import { loadEnv } from '../platform/config/load-env.js';
import { UsageHistory } from '../rate-limit/history/usage-history.js';
import { databaseParts } from '../database-parts.js';
import type { ProgramIo } from './program.js';

/** Without `AuthModule`, which polls for changes of keys. */
@Module({
  imports: [EventsModule],
  providers: [AccountsService, ApiKeysRepository, Deliveries, KeyChanges, KeysService, UsageHistory],
})
class CommandLine {}

export function servicesOf(context: INestApplicationContext): Omit<KeysServices, 'readLine'> {
  return {
    keys: context.get(KeysService),
    accounts: context.get(AccountsService),
    history: context.get(UsageHistory),
    nowMs: context.get(Clock).nowMs(),
    tables: ACCOUNT_TABLES,
  };
}

/** The least limit of statements that read or delete much. Requests need a shorter one. */
const LONG_MS = 60_000;

/**
 * Does work of an operator on the database that the settings name, beside running services.
 * @throws (rejects) Error with a message for the operator
 */
export async function onDatabase<T>(
  io: ProgramIo,
  { createsDatabase = false, isLong = false }: Partial<KeysCommand>,
  work: (services: ReturnType<typeof servicesOf> & { readonly deliveries: Deliveries }) => Promise<T>,
): Promise<T> {
  try {
    const env = loadEnv(io.env);
    if (isLong) {
      env.DATABASE_TIMEOUT_MS = Math.max(env.DATABASE_TIMEOUT_MS, LONG_MS);
      env.DATABASE_TRANSACTION_TIMEOUT_MS = Math.max(env.DATABASE_TRANSACTION_TIMEOUT_MS, 2 * LONG_MS);
    }
    const url = databaseUrlOf(env);
    if (!isPostgresUrl(url)) sharedFile(url, createsDatabase);
    const imports = [ConfigModule.forRoot(env, new Clock()), DatabaseModule.forRoot(env, databaseParts([]))];
    const options = { logger: false, abortOnError: false } as const;
    const context = await NestFactory.createApplicationContext({ module: CommandLine, imports }, options);
    try {
      const services = { ...servicesOf(context), deliveries: context.get(Deliveries) };
      return await runAs(`cli:${env.PETSTORE_OPERATOR ?? systemUser()}`, () => work(services));
    } finally {
      await context.close();
    }
  } catch (error) {
    throw new Error(explained(error), { cause: error });
  }
}

/** Containers may run under a user id without a name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
