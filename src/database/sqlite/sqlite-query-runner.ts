import { statSync } from 'node:fs';
import Sqlite, { type Database as SqliteConnection } from 'sqlite-driver';
import { LRUCache } from 'lru-cache';
import { type QueryResult, QueryRunnerAlreadyReleasedError } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import type { IsolationLevel } from 'typeorm/driver/types/IsolationLevel.js';
import { RunnerTransactions } from '../database.js';
import type { StatementObserver } from '../statement-observer.js';
import { exactNumber, type QueryAnswer, refuseTransactionControl, type Statement } from '../statements.js';
import { translateSqlite, unavailable } from '../unavailable.js';
import type { WritingConnection } from './writing-connection.js';

/** Sends reads outside of a transaction to the reading connection, and all else to the writing one. */
export class SqliteQueryRunner extends BetterSqlite3QueryRunner {
  readonly transactions = new RunnerTransactions(this, () => this.writing.begin());

  constructor(
    private readonly reading: ReadingConnection,
    private readonly writing: WritingConnection,
  ) {
    super(reading.driver);
  }

  override startTransaction(isolation?: IsolationLevel): Promise<void> {
    return this.transactions.start(isolation);
  }

  override commitTransaction(): Promise<void> {
    return this.transactions.commit();
  }

  override rollbackTransaction(): Promise<void> {
    return this.transactions.rollback();
  }

  override async query(...statement: Statement): Promise<QueryAnswer> {
    if (this.isReleased) throw new QueryRunnerAlreadyReleasedError();
    refuseTransactionControl(statement[0]);
    try {
      const { current } = this.transactions;
      if (current !== undefined) return await current.send(...statement);
      return await (this.reading.canRun(statement[0]) ? this.reading : this.writing).run(...statement);
    } catch (error) {
      throw translateSqlite(error);
    }
  }

  override async release(): Promise<void> {
    await this.transactions.end();
    this.isReleased = true;
    await super.release();
  }
}

/** A connection that is shared by all query runners. */
export abstract class SharedConnection extends BetterSqlite3QueryRunner {
  constructor(
    driver: BetterSqlite3Driver,
    protected readonly sqlite: SqliteConnection,
    protected readonly checkFile: () => void,
    protected readonly observer: StatementObserver,
  ) {
    super(driver);
    driver.dataSource.createEntityManager(this);
  }

  /** SQLite's driver rounds integers unless it returns all of them as bigints, which neither TypeORM nor features expect. */
  protected async execute([sql, parameters, isStructured]: Statement): Promise<QueryAnswer> {
    const result: QueryResult = await this.observer.watch(sql, () => this.query(sql, parameters, true));
    if (typeof result.raw === 'bigint') result.raw = exactNumber(result.raw);
    for (const row of result.records as Record<string, unknown>[]) {
      for (const column in row) {
        const value = row[column];
        if (typeof value === 'bigint') row[column] = exactNumber(value);
      }
    }
    return isStructured === true ? result : result.raw;
  }
}

/** Does not see the open transaction of the writing connection. */
export class ReadingConnection extends SharedConnection {
  private readonly reads = new LRUCache<string, boolean>({ max: 1_000, memoMethod: (sql) => this.isRead(sql) });

  override connect(): Promise<SqliteConnection> {
    return Promise.resolve(this.sqlite);
  }

  async run(...statement: Statement): Promise<QueryAnswer> {
    this.checkFile();
    return this.execute(statement);
  }

  /** Whether a statement returns rows and changes nothing. */
  canRun(sql: string): boolean {
    return this.reads.memo(sql);
  }

  private isRead(sql: string): boolean {
    try {
      const { reader, readonly } = this.sqlite.prepare(sql);
      return reader && readonly;
    } catch (error) {
      // Such as an error of syntax, which the other connection reports.
      if (error instanceof Sqlite.SqliteError) return false;
      throw error;
    }
  }
}

/**
 * Returns a check that the database file was neither deleted nor moved. SQLite would keep writing to it and lose everything,
 * so the database is unavailable until the same file is back. The check throws DomainError `service_unavailable`.
 */
export function fileCheck(path: string): () => void {
  const identity = () => {
    const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? { dev: 0, ino: 0 };
    return `${dev}:${ino}`;
  };
  const opened = identity();
  return () => {
    if (identity() !== opened) throw unavailable(new Error(`${path} is not the file that was opened.`));
  };
}
