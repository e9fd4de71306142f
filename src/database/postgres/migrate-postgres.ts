import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { AbstractLogger, type DataSource, type DataSourceOptions, MigrationExecutor, QueryFailedError } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import type { IsolationLevel } from 'typeorm/driver/types/IsolationLevel.js';
import { pendingMigrations, runPendingMigrations } from '../migrations/index.js';
import { query } from '../statements.js';
import { driverCode } from '../unavailable.js';
import { SESSIONS } from './pooled-query-runner.js';
import { localTimeouts, postgresDataSource } from './postgres-options.js';

/** How long a migration waits for a lock. Requests that need the table wait behind it, so it then lets them pass. */
const LOCK_TIMEOUT_MS = 1_000;
const RETRY_MS = 1_000;

/** The sessions with locks on the tables that a statement names. */
const HOLDERS = `${SESSIONS} "datname" = current_database() AND "pid" IN (
  SELECT "pid" FROM pg_locks WHERE "granted" AND "pid" <> pg_backend_pid() AND "relation" IN (
    SELECT "oid" FROM pg_class WHERE strpos($1, '"' || "relname" || '"') > 0))`;

const logger = new Logger('Migrations');

/** TypeORM writes failures of migrations to standard output, whatever `logging` is. We log them ourselves. */
class NoLogger extends AbstractLogger {
  protected override writeLog(): void {}
}

/** Sets nothing that outlives a transaction: behind a pooler, the session can be another one afterwards. */
class MigrationRunner extends PostgresQueryRunner {
  static create(dataSource: DataSource): MigrationRunner {
    const runner = new MigrationRunner(dataSource.driver as PostgresDriver, 'master');
    dataSource.createEntityManager(runner);
    return runner;
  }

  override async startTransaction(isolation?: IsolationLevel): Promise<void> {
    await super.startTransaction(isolation);
    await this.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; ${localTimeouts(0, 0)}`);
  }
}

/** Runs pending migrations, each in its transaction; of several processes that start together, one does it. */
export function migratePostgres(options: DataSourceOptions): Promise<void> {
  return withRunner(options, async (runner) => {
    while (!(await migrateUnlessLocked(runner))) await delay(RETRY_MS);
  });
}

/** Waits until another process has run the migrations. Needs no rights to change the schema. */
export function waitForMigrations(options: DataSourceOptions): Promise<void> {
  return withRunner(options, async (runner) => {
    const executor = new MigrationExecutor(runner.dataSource, runner);
    for (let isFirst = true; ; isFirst = false) {
      const pending = (await runner.hasTable('migrations')) ? await pendingMigrations(executor) : ['all'];
      if (pending.length === 0) return;
      if (isFirst) logger.warn({ message: 'waiting for migrations, because MIGRATE_ON_START is false', pending });
      await delay(RETRY_MS);
    }
  });
}

async function withRunner(options: DataSourceOptions, work: (runner: MigrationRunner) => Promise<void>): Promise<void> {
  const dataSource = await postgresDataSource({ ...options, logger: new NoLogger() }).initialize();
  try {
    const runner = MigrationRunner.create(dataSource);
    await checkServer(runner);
    await work(runner);
  } finally {
    await dataSource.destroy();
  }
}

async function migrateUnlessLocked(runner: MigrationRunner): Promise<boolean> {
  const holder = MigrationRunner.create(runner.dataSource);
  try {
    await holder.startTransaction();
    // Not waited for in the database: a waiting statement would keep CREATE INDEX CONCURRENTLY from its end. So would one with
    // parameters, such as `tryLockUntilCommit` sends: while its transaction is idle, its portal keeps a snapshot.
    const lock = `pg_try_advisory_xact_lock(hashtextextended('petstore migrations', 0))`;
    const [row] = await query<{ locked: boolean }>(holder.manager, `SELECT ${lock} AS "locked"`);
    if (row?.locked !== true) return false;
    const executor = new MigrationExecutor(runner.dataSource, runner);
    executor.transaction = 'each';
    await runPendingMigrations(executor);
    return true;
  } catch (error) {
    // The code of a lock timeout.
    if (!(error instanceof QueryFailedError) || driverCode(error) !== '55P03') throw error;
    const holders: unknown = await runner.query(HOLDERS, [error.query]);
    logger.warn({ message: 'a migration waits for a lock', statement: error.query, holders });
    return false;
  } finally {
    if (holder.isTransactionActive) await holder.rollbackTransaction();
    await holder.release();
  }
}

/** Checks what a session cannot set itself. */
async function checkServer(runner: MigrationRunner): Promise<void> {
  const [server] = await runner.manager.query<[Record<'version' | 'encoding' | 'schema' | 'fsync', string>]>(`
    SELECT version() AS "version", current_setting('server_encoding') AS "encoding",
      coalesce(current_schema(), '') AS "schema", current_setting('fsync') AS "fsync"`);
  // It assigns identifiers out of order, and older versions accept calls for locks without locking.
  if (server.version.includes('CockroachDB'))
    throw new Error('CockroachDB is not supported. The service needs PostgreSQL 14 or newer.');
  if (server.encoding !== 'UTF8')
    throw new Error(`The database must have the encoding UTF8, but has ${server.encoding}.`);
  if (server.schema === '')
    throw new Error(
      'No schema of the search_path exists. Create one, or change the search_path of the role or database.',
    );
  const stats = `SELECT pg_has_role('pg_read_all_stats', 'USAGE') AS "seesOthers"`;
  const [role] = await query<{ seesOthers: boolean }>(runner.manager, stats);
  if (role?.seesOthers === false)
    logger.log('The role lacks pg_read_all_stats, so the log cannot tell what sessions of other roles run.');
  if (server.fsync === 'off') logger.warn('fsync is off, so PostgreSQL can lose acknowledged writes in a crash.');
}
