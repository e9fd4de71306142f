import Sqlite, { type Database as SqliteConnection } from 'sqlite-driver';
import { type DataSourceOptions, MigrationExecutor, type ReplicationMode } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import { Database, type TransactionalRunner, type WriteOptions } from '../database.js';
import type { Transaction, Work } from '../transaction.js';
import { FileIdentity } from './file-identity.js';
import { QueuedQueryRunner, type SqliteAccess } from './queued-query-runner.js';
import { ReadingQueryRunner } from './reading-query-runner.js';
import { createPrivateFile } from './sqlite-options.js';
import { WriteQueue } from './write-queue.js';

/** Per connection. SQLite's default is 16 MiB, but frequent responses are cached anyway. */
const PAGE_CACHE_KIB = 4_096;

interface Access extends SqliteAccess {
  readonly file: FileIdentity;
  readonly reading: SqliteConnection;
  readonly writing: SqliteConnection;
}

/** The embedded database: one connection for serialised writes, and one for concurrent reads. */
export class SqliteDatabase extends Database {
  override readonly isEmbedded = true;
  private opened: Access | undefined;

  constructor(
    options: DataSourceOptions,
    private readonly transactionTimeoutMs: number,
  ) {
    super(options);
  }

  private get access(): Access {
    if (this.opened === undefined) throw new Error('The database is not open.');
    return this.opened;
  }

  /** Opens the database and runs pending migrations; several processes can do so at the same time. */
  override async initialize(): Promise<this> {
    const path = String(this.options.database);
    createPrivateFile(path);
    await super.initialize();
    try {
      // TypeORM declares only the interface of all drivers.
      const driver = this.driver as BetterSqlite3Driver;
      const writing: SqliteConnection = driver.databaseConnection;
      await this.migrate(writing);
      this.opened = this.open(driver, path, writing);
    } catch (error) {
      await this.destroy();
      throw error;
    }
    return this;
  }

  override async destroy(): Promise<void> {
    await this.opened?.writes.idle();
    this.opened?.reading.close();
    this.opened = undefined;
    await super.destroy();
  }

  protected override readCommitted<T>(query: Work<T>): Promise<T> {
    return query(this.access.reader.manager);
  }

  override async foreignVersion(): Promise<number> {
    this.access.file.check();
    // The writer's own commits do not change its data_version.
    return Number(this.access.writing.pragma('data_version', { simple: true }));
  }

  protected override createWriter(options: WriteOptions): TransactionalRunner {
    return new QueuedQueryRunner(this.access, options);
  }

  protected override createJoined(transaction: Transaction): TransactionalRunner {
    return new QueuedQueryRunner(this.access, {}, transaction);
  }

  protected override createSeparate(mode: ReplicationMode): TransactionalRunner | ReadingQueryRunner {
    return mode === 'slave' ? this.access.reader : new QueuedQueryRunner(this.access, { isAlone: true });
  }

  private async migrate(writing: SqliteConnection): Promise<void> {
    writing.exec('BEGIN IMMEDIATE');
    const runner = this.driver.createQueryRunner('master');
    this.createEntityManager(runner);
    const executor = new MigrationExecutor(this, runner);
    executor.transaction = 'none';
    await executor.executePendingMigrations();
    writing.exec('COMMIT');
  }

  private open(driver: BetterSqlite3Driver, path: string, writing: SqliteConnection): Access {
    const reading = new Sqlite(path, { readonly: true });
    for (const connection of [writing, reading]) {
      // SQLite would wait for locks inside the statement and block all other requests.
      connection.pragma('busy_timeout = 0');
      connection.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
      connection.defaultSafeIntegers();
    }
    const file = new FileIdentity(path);
    const reader = new ReadingQueryRunner(driver, reading, file);
    const writer = new BetterSqlite3QueryRunner(driver);
    for (const runner of [reader, writer]) this.createEntityManager(runner);
    const writes = new WriteQueue(writing, file, this.transactionTimeoutMs);
    return { reader, reading, writer, writes, writing, file, watches: this.watches };
  }
}
