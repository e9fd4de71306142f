import { QueryRunnerAlreadyReleasedError } from 'typeorm';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import type { TransactionalRunner } from '../database.js';
import { RunnerTransactions } from '../runner-transactions.js';
import { refuseTransactionControl } from '../statements.js';
import type { QueryAnswer, QueryParameters } from '../transaction.js';
import { translateSqlite } from '../unavailable.js';
import type { ReadingConnection } from './reading-connection.js';
import type { WritingConnection } from './writing-connection.js';

/** Sends reads outside of a transaction to the reading connection, and all else to the writing one. */
export class SqliteQueryRunner extends BetterSqlite3QueryRunner implements TransactionalRunner {
  readonly transactions: RunnerTransactions;

  constructor(
    private readonly reading: ReadingConnection,
    private readonly writing: WritingConnection,
  ) {
    super(reading.driver);
    this.transactions = new RunnerTransactions(this, () => writing.begin());
  }

  override async query(sql: string, parameters?: QueryParameters, isStructured?: boolean): Promise<QueryAnswer> {
    if (this.isReleased) throw new QueryRunnerAlreadyReleasedError();
    refuseTransactionControl(sql);
    try {
      const { current } = this.transactions;
      if (current !== undefined) return await current.send(sql, parameters, isStructured);
      if (this.reading.canRun(sql)) return await this.reading.query(sql, parameters, isStructured);
      return await this.writing.run(sql, parameters, isStructured);
    } catch (error) {
      throw translateSqlite(error);
    }
  }

  override startTransaction(): Promise<void> {
    return this.transactions.start();
  }

  override commitTransaction(): Promise<void> {
    return this.transactions.commit();
  }

  override rollbackTransaction(): Promise<void> {
    return this.transactions.rollback();
  }

  /** Rolls back an open transaction. */
  override async release(): Promise<void> {
    await this.transactions.end();
    this.isReleased = true;
    await super.release();
  }
}
