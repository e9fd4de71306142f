import { type ObjectLiteral, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import type { IsolationLevel, TransactionalRunner } from '../database.js';
import { exactIntegers } from '../exact-integers.js';
import { isRead, refuseTransactionControl } from '../statements.js';
import { endNested, type Outcome, type TableWatch, Transaction } from '../transaction.js';
import { translate } from '../unavailable.js';
import type { ReadingQueryRunner } from './reading-query-runner.js';
import type { Turn } from './turn.js';
import type { TurnOptions, WriteQueue } from './write-queue.js';

/** Shared by all query runners of a database. */
export interface SqliteAccess {
  readonly reader: ReadingQueryRunner;
  /** Of the writing connection. It sends all statements, and so keeps them prepared. */
  readonly writer: BetterSqlite3QueryRunner;
  readonly writes: WriteQueue;
  readonly watches: readonly TableWatch[];
}

/**
 * Writes on the writing connection in its turn of the queue: a transaction is a turn, and so is a single statement. Reads
 * outside a transaction use the reading connection.
 */
export class QueuedQueryRunner extends BetterSqlite3QueryRunner implements TransactionalRunner {
  transaction: Transaction | undefined;
  /** Of a transaction that this query runner began. */
  private turn: Promise<Turn> | undefined;

  /** @param joined an open transaction of another query runner, for statements in it */
  constructor(
    private readonly access: SqliteAccess,
    private readonly options: TurnOptions,
    joined?: Transaction,
  ) {
    super(access.writer.driver);
    if (joined === undefined) return;
    this.transaction = joined;
    this.isTransactionActive = true;
    this.transactionDepth = 1;
  }

  override async query(sql: string, parameters?: unknown[] | ObjectLiteral, isStructured?: boolean) {
    if (this.isReleased) throw new QueryRunnerAlreadyReleasedError();
    refuseTransactionControl(sql);
    const send = async () => exactIntegers(await this.access.writer.query(sql, parameters, isStructured));
    try {
      // The turn of a transaction that is being started.
      if (this.turn !== undefined) await this.turn;
      if (this.transaction !== undefined) return await this.transaction.run(sql, send);
      if (isRead(sql)) return await this.access.reader.query(sql, parameters, isStructured);
      return await this.sendAlone(sql, send);
    } catch (error) {
      throw translate(error);
    }
  }

  override async startTransaction(isolation?: IsolationLevel): Promise<void> {
    if (this.isTransactionActive) {
      await this.turn;
      this.transaction = await this.transaction?.nest(() => super.startTransaction(isolation));
      return;
    }
    if (this.isReleased) throw new QueryRunnerAlreadyReleasedError();
    this.isTransactionActive = true;
    this.transactionDepth = 1;
    const transaction = new Transaction(this, this.access.watches);
    this.turn = Transaction.settled().then(() => this.access.writes.begin(transaction, this.options));
    try {
      await this.broadcaster.broadcast('BeforeTransactionStart');
      await this.turn;
      this.transaction = transaction;
      await this.broadcaster.broadcast('AfterTransactionStart');
    } catch (error) {
      await this.leave('rolled back').catch(() => undefined);
      throw error;
    }
  }

  override async commitTransaction(): Promise<void> {
    if (this.transactionDepth > 1) return endNested(this, 'committed', () => super.commitTransaction());
    if (this.turn === undefined) return super.commitTransaction();
    await this.broadcaster.broadcast('BeforeTransactionCommit');
    await this.leave('committed');
    await this.broadcaster.broadcast('AfterTransactionCommit');
  }

  override async rollbackTransaction(): Promise<void> {
    if (this.transactionDepth > 1) return endNested(this, 'rolled back', () => super.rollbackTransaction());
    if (this.turn === undefined) return super.rollbackTransaction();
    await this.broadcaster.broadcast('BeforeTransactionRollback');
    await this.leave('rolled back');
    await this.broadcaster.broadcast('AfterTransactionRollback');
  }

  /** Rolls back an open transaction. */
  override async release(): Promise<void> {
    if (this.isReleased) return;
    while (this.transactionDepth > 1) await this.rollbackTransaction();
    if (this.turn !== undefined) await this.leave('rolled back');
    this.isReleased = true;
    await super.release();
  }

  private async leave(outcome: Outcome): Promise<void> {
    try {
      await (await this.turn)?.end(outcome);
    } finally {
      this.turn = undefined;
      this.transaction = undefined;
      this.isTransactionActive = false;
      this.transactionDepth = 0;
    }
  }

  private async sendAlone<T>(sql: string, send: () => Promise<T>): Promise<T> {
    await Transaction.settled();
    const turn = await this.access.writes.begin(new Transaction(this, this.access.watches));
    try {
      const result = await turn.transaction.run(sql, send);
      await turn.end('committed');
      return result;
    } catch (error) {
      await turn.end('rolled back');
      throw error;
    }
  }
}
