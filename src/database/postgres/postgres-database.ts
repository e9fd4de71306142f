import type { DataSourceOptions } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { Env } from '../../config/index.js';
import { Database, type TransactionalRunner } from '../database.js';
import type { Transaction, Work } from '../transaction.js';
import { Checkout, type Lease } from './checkout.js';
import { FairSemaphore } from './fair-semaphore.js';
import { migratePostgres, use64BitIntegers } from './open-postgres.js';
import { PooledQueryRunner, type PostgresAccess } from './pooled-query-runner.js';
import { unitTimeoutMs } from './postgres-options.js';

/** PostgreSQL through a pool of connections; several instances can share it. */
export class PostgresDatabase extends Database {
  override readonly isEmbedded = false;
  private readonly transactions = new Set<Promise<void>>();
  private readonly access: PostgresAccess;
  private readonly connections: FairSemaphore;
  /** For `read` and `write`. */
  private readonly unit: Lease;
  /** For query runners that extensions create. */
  private readonly separate: Lease;

  /** @param migration options of the connection for migrations */
  constructor(
    options: DataSourceOptions,
    private readonly migration: DataSourceOptions,
    env: Env,
  ) {
    super(options);
    use64BitIntegers(this);
    this.unit = { timeoutMs: unitTimeoutMs(env), isRenewed: false };
    this.separate = { timeoutMs: env.DATABASE_TRANSACTION_TIMEOUT_MS, isRenewed: true };
    this.connections = new FairSemaphore(env.DATABASE_POOL_SIZE, env.DATABASE_POOL_WAIT_MS);
    this.access = {
      // TypeORM declares only the interface of all drivers.
      driver: this.driver as PostgresDriver,
      watches: this.watches,
      track: (transaction) => {
        this.transactions.add(transaction);
        void transaction.then(() => this.transactions.delete(transaction));
      },
    };
  }

  override async initialize(): Promise<this> {
    await migratePostgres(this.migration);
    return super.initialize();
  }

  override async destroy(): Promise<void> {
    await Promise.all(this.transactions);
    await super.destroy();
  }

  protected override async readCommitted<T>(query: Work<T>): Promise<T> {
    const runner = this.createWriter();
    try {
      return await query(this.createEntityManager(runner));
    } finally {
      await runner.release();
    }
  }

  protected override createWriter(): TransactionalRunner {
    return new PooledQueryRunner(this.access, new Checkout(this.connections, this.unit));
  }

  protected override createJoined(transaction: Transaction): TransactionalRunner {
    const { runner } = transaction;
    if (!(runner instanceof PooledQueryRunner)) throw new TypeError('The transaction belongs to another database.');
    return new PooledQueryRunner(this.access, runner.checkout, transaction);
  }

  protected override createSeparate(): TransactionalRunner {
    return new PooledQueryRunner(this.access, new Checkout(this.connections, this.separate));
  }
}
