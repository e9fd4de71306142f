import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { Env } from '../../platform/index.js';
import { type ConnectionUse, Database } from '../database.js';
import { migratePostgres, waitForMigrations } from './migrate-postgres.js';
import type { StatementObserver } from '../statement-observer.js';
import { PooledQueryRunner } from './pooled-query-runner.js';
import { use64BitIntegers } from './postgres-options.js';

/** Pause between two looks at the open transactions, in milliseconds. */
const STEP_MS = 10;

/** PostgreSQL through a pool of connections; several instances can share it. */
export class PostgresDatabase extends Database {
  override readonly isEmbedded = false;

  /** @param migration options of the connection for migrations, which run at the start, or are waited for */
  constructor(
    options: DataSourceOptions,
    private readonly migration: DataSourceOptions,
    private readonly env: Pick<Env, 'DATABASE_TRANSACTION_TIMEOUT_MS' | 'MIGRATE_ON_START'>,
    private readonly observer: StatementObserver,
  ) {
    super(options);
    use64BitIntegers(this);
  }

  override async initialize(): Promise<this> {
    await (this.env.MIGRATE_ON_START ? migratePostgres : waitForMigrations)(this.migration);
    return super.initialize();
  }

  /** Waits for open transactions, which TypeORM would roll back. */
  override async destroy(): Promise<void> {
    while (this.pool.connectedQueryRunners.some(({ isTransactionActive }) => isTransactionActive)) await delay(STEP_MS);
    await super.destroy();
  }

  override get connections(): ConnectionUse {
    const { totalCount, idleCount, waitingCount } = this.pool.master as Pool;
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  protected override createRunner(): PooledQueryRunner {
    return new PooledQueryRunner(this.pool, this.env.DATABASE_TRANSACTION_TIMEOUT_MS, this.observer);
  }

  private get pool(): PostgresDriver {
    // TypeORM declares only the interface of all drivers.
    return this.driver as PostgresDriver;
  }
}
