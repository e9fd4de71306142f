import { setTimeout as delay } from 'node:timers/promises';
import { Pool, type PoolConfig } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { Env } from '../../platform/config/env.js';
import { type ConnectionUse, Database } from '../database.js';
import { migratePostgres, waitForMigrations } from './migrate-postgres.js';
import type { StatementObserver } from '../statement-observer.js';
import { PooledQueryRunner } from './pooled-query-runner.js';
import { PortableDriver } from './portable-driver.js';
import { Turns } from '../turns.js';
import { unavailable } from '../unavailable.js';

/** Transactions of an account at a time: one has a lock, and another waits for it. */
const MOST_OF_ACCOUNT = 2;

/** PostgreSQL through a pool of connections; several instances can share it. */
export class PostgresDatabase extends Database {
  override readonly isEmbedded = false;
  override readonly driver: PostgresDriver = new PortableDriver(this);
  /** So that transactions that wait for locks leave connections to other requests. */
  private readonly turns: Turns;
  /** One connection that requests do not use, so that their number does not matter to monitoring. */
  private readonly monitoring: Pool;

  /** @param migration options of the connection for migrations, which run at the start, or are waited for */
  constructor(
    options: DataSourceOptions,
    private readonly migration: DataSourceOptions,
    private readonly env: Env,
    private readonly observer: StatementObserver,
  ) {
    super(options);
    this.turns = new Turns(Math.ceil(env.DATABASE_POOL_SIZE / 2), MOST_OF_ACCOUNT);
    this.monitoring = new Pool({ ...(options.extra as PoolConfig), max: 1, idleTimeoutMillis: 0 });
    // A connection that is lost while idle is replaced when needed.
    this.monitoring.on('error', () => undefined);
  }

  override async initialize(): Promise<this> {
    await (this.env.MIGRATE_ON_START ? migratePostgres : waitForMigrations)(this.migration);
    // Before requests take all connections that the role may have.
    await this.ping();
    return super.initialize();
  }

  /** Waits for open transactions, which TypeORM would roll back. */
  override async destroy(): Promise<void> {
    while (this.driver.connectedQueryRunners.some(({ isTransactionActive }) => isTransactionActive)) await delay(10);
    await this.monitoring.end();
    await super.destroy();
  }

  override async ping(): Promise<void> {
    await this.monitoring.query('SELECT').catch((error: unknown) => {
      throw unavailable(error);
    });
  }

  override get connections(): ConnectionUse {
    const { totalCount, idleCount, waitingCount } = this.driver.master as Pool;
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount + this.turns.use.waiting };
  }

  protected override createRunner(): PooledQueryRunner {
    return new PooledQueryRunner(this.driver, this.env, this.turns, this.monitoring, this.observer);
  }
}
