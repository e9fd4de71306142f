import { existsSync } from 'node:fs';
import { type INestApplicationContext, Module, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InvalidOperationError } from '../accounts/index.js';
import type { Env } from '../config/index.js';
import { databaseUrlOf, isPostgresUrl, sqliteFile } from '../database/index.js';

@Module({})
class CommandLine {}

/**
 * Refuses a database that a command would create, as only a mistyped DATABASE_URL makes it do so.
 * @throws InvalidOperationError
 */
export function checkDatabaseExists(env: Env): void {
  const url = databaseUrlOf(env);
  checkDatabaseIsShared(url);
  if (isPostgresUrl(url) || existsSync(sqliteFile(url))) return;
  throw new InvalidOperationError(
    `There is no database at ${sqliteFile(url)}. Check DATABASE_URL and ENVIRONMENT; the service and "keys create" create new databases.`,
  );
}

/** @throws InvalidOperationError for a database that only its own process has */
export function checkDatabaseIsShared(databaseUrl: string | undefined): void {
  if (databaseUrl !== 'sqlite::memory:') return;
  throw new InvalidOperationError(
    'DATABASE_URL is an in-memory database, which other processes cannot access. Set it to a file.',
  );
}

/** Runs a command with some modules of the service, without its server, and always closes them. */
export async function inContext<T>(
  imports: NonNullable<ModuleMetadata['imports']>,
  use: (context: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const context = await NestFactory.createApplicationContext(
    { module: CommandLine, imports },
    { logger: false, abortOnError: false },
  );
  try {
    return await use(context);
  } finally {
    await context.close();
  }
}
