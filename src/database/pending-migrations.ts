import { Logger } from '@nestjs/common';
import type { MigrationExecutor } from 'typeorm';

const logger = new Logger('Migrations');

/** The names of the migrations that have not run. */
export async function pendingMigrations(executor: MigrationExecutor): Promise<string[]> {
  return (await executor.getPendingMigrations()).map(({ name }) => name);
}

/** Logs which migrations are pending, and runs them. */
export async function runPendingMigrations(executor: MigrationExecutor): Promise<void> {
  const pending = await pendingMigrations(executor);
  if (pending.length > 0) logger.log({ message: 'running migrations', pending });
  await executor.executePendingMigrations();
}
