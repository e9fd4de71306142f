import { setTimeout as delay } from 'node:timers/promises';
import { DataSource, type DataSourceOptions, MigrationExecutor } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { Database } from '../database.js';
import { lockUntilCommit } from '../statements.js';
import { PooledQueryRunner } from './pooled-query-runner.js';

/** Pause between two looks at the open transactions, in milliseconds. */
const STEP_MS = 10;

/** PostgreSQL through a pool of connections; several instances can share it. */
export class PostgresDatabase extends Database {
  override readonly isEmbedded = false;

  /**
   * @param migration options of the connection for migrations
   * @param transactionTimeoutMs how long a transaction can take
   */
  constructor(
    options: DataSourceOptions,
    private readonly migration: DataSourceOptions,
    private readonly transactionTimeoutMs: number,
  ) {
    super(options);
    use64BitIntegers(this);
  }

  override async initialize(): Promise<this> {
    await migrate(this.migration);
    return super.initialize();
  }

  /** Waits for open transactions, which TypeORM would roll back. */
  override async destroy(): Promise<void> {
    while (this.pool.connectedQueryRunners.some(({ isTransactionActive }) => isTransactionActive)) await delay(STEP_MS);
    await super.destroy();
  }

  protected override createRunner(): PooledQueryRunner {
    return new PooledQueryRunner(this.pool, this.transactionTimeoutMs);
  }

  private get pool(): PostgresDriver {
    // TypeORM declares only the interface of all drivers.
    return this.driver as PostgresDriver;
  }
}

/** A data source on PostgreSQL, not open yet, for migrations and the command line. */
export function postgresDataSource(options: DataSourceOptions): DataSource {
  const dataSource = new DataSource(options);
  use64BitIntegers(dataSource);
  return dataSource;
}

/** Gives `integer` columns of entities 64 bits, as in SQLite. */
function use64BitIntegers({ driver }: DataSource): void {
  const normalizeType = driver.normalizeType.bind(driver);
  driver.normalizeType = (column) => {
    const type = normalizeType(column);
    return type === 'integer' ? 'bigint' : type;
  };
}

/** Runs pending migrations in one transaction; of several processes that start together, one does it. */
async function migrate(options: DataSourceOptions): Promise<void> {
  const dataSource = await postgresDataSource(options).initialize();
  try {
    await checkEncoding(dataSource);
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await lockUntilCommit(runner.manager, 'migrations');
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'none';
    await executor.executePendingMigrations();
    await runner.commitTransaction();
    await runner.release();
  } finally {
    await dataSource.destroy();
  }
}

/** @throws Error if the database cannot store all Unicode characters */
async function checkEncoding(dataSource: DataSource): Promise<void> {
  const [row] = await dataSource.query<{ encoding: string }[]>(
    'SELECT current_setting(\'server_encoding\') AS "encoding"',
  );
  if (row?.encoding !== 'UTF8') throw new Error(`The database must have the encoding UTF8, but has ${row?.encoding}.`);
}
