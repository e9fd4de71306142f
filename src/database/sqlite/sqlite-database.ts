import { realpathSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import Sqlite, { type Database as SqliteConnection } from 'sqlite-driver';
import { type DataSourceOptions, MigrationExecutor } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { type ConnectionUse, Database } from '../database.js';
import { commonOptions, type DatabaseParts } from '../database-options.js';
import { runPendingMigrations } from '../migrations/index.js';
import { droppedFrames } from './damaged-wal.js';
import { createDatabaseFile } from './sqlite-file.js';
import { StatementObserver } from '../statement-observer.js';
import { Turns } from '../turns.js';
import { fileCheck, ReadingConnection, SqliteQueryRunner } from './sqlite-query-runner.js';
import { type SqliteTimeouts, WritingConnection } from './writing-connection.js';

export function sqliteOptions(file: string, parts: DatabaseParts): DataSourceOptions {
  return {
    ...commonOptions(parts),
    type: 'better-sqlite3',
    driver: Sqlite,
    database: file,
    prepareDatabase: (connection: SqliteConnection) => {
      connection.pragma('journal_mode = WAL');
      // WAL alone syncs only at checkpoints, so a power cut would lose acknowledged writes.
      connection.pragma('synchronous = FULL');
    },
  };
}

function warnOfDamage(file: string): void {
  const { frames, bytes } = droppedFrames(file);
  const message =
    'the write-ahead log of SQLite is damaged, and what follows the damage is lost; after a power cut, it may have been unfinished';
  if (frames > 0) new Logger('Database').warn({ message, file, frames, bytes });
}

/** The embedded database: one connection for writes, one transaction at a time, and one for concurrent reads. */
export class SqliteDatabase extends Database {
  override readonly isEmbedded = true;
  private readonly turns = new Turns(1, 1);
  private version: unknown;
  private opened: { readonly reading: ReadingConnection; readonly writing: WritingConnection } | undefined;

  constructor(
    options: DataSourceOptions,
    private readonly timeouts: SqliteTimeouts,
    private readonly observer = new StatementObserver('sqlite', Infinity),
  ) {
    super(options);
  }

  /** Opens the database and runs pending migrations; several processes can do so at the same time. */
  override async initialize(): Promise<this> {
    const path = String(this.options.database);
    createDatabaseFile(path);
    warnOfDamage(`${realpathSync(path)}-wal`);
    await super.initialize();
    try {
      // TypeORM declares only the interface of all drivers.
      const driver = this.driver as BetterSqlite3Driver;
      const writing: SqliteConnection = driver.databaseConnection;
      await this.migrate(writing);
      const reading = new Sqlite(path, { readonly: true });
      for (const connection of [writing, reading]) {
        // SQLite would wait for locks inside the statement and block all other requests.
        connection.pragma('busy_timeout = 0');
        // In KiB. SQLite's default is 16 MiB, but frequent responses are cached anyway.
        connection.pragma('cache_size = -4096');
        connection.defaultSafeIntegers();
      }
      const checkFile = fileCheck(path);
      this.opened = {
        reading: new ReadingConnection(driver, reading, checkFile, this.observer),
        writing: new WritingConnection(this.turns, this.timeouts, driver, writing, checkFile, this.observer),
      };
    } catch (error) {
      await this.destroy();
      throw error;
    }
    return this;
  }

  /** Waits for the transaction in progress, and lets no other begin. */
  override async destroy(): Promise<void> {
    if (this.opened !== undefined) {
      await this.turns.take(2 * this.timeouts.DATABASE_TRANSACTION_TIMEOUT_MS);
      (await this.opened.reading.connect()).close();
      this.opened = undefined;
    }
    await super.destroy();
  }

  override async ping(): Promise<void> {
    await this.query('SELECT 1');
  }

  /** The version does not change by commits of the connection that reads it. */
  override wasWrittenElsewhere(): boolean {
    const { version } = this;
    try {
      const writing: SqliteConnection = (this.driver as BetterSqlite3Driver).databaseConnection;
      this.version = writing.pragma('data_version', { simple: true });
    } catch {
      // Somebody has the file for himself at the moment.
      return true;
    }
    return this.version !== version;
  }

  override get connections(): ConnectionUse {
    const { used, waiting } = this.turns.use;
    return { used, idle: 1 - used, waiting };
  }

  protected override createRunner(): SqliteQueryRunner {
    if (this.opened === undefined) throw new Error('The database is not open.');
    return new SqliteQueryRunner(this.opened.reading, this.opened.writing);
  }

  private async migrate(writing: SqliteConnection): Promise<void> {
    writing.exec('BEGIN IMMEDIATE');
    const runner = this.driver.createQueryRunner('master');
    this.createEntityManager(runner);
    const executor = new MigrationExecutor(this, runner);
    executor.transaction = 'none';
    await runPendingMigrations(executor);
    writing.exec('COMMIT');
  }
}
