import type { QueryResult } from 'pg';
import { type ObjectLiteral, QueryFailedError } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import type { IsolationLevel, TransactionalRunner } from '../database.js';
import { isRead, refuseTransactionControl } from '../statements.js';
import { endNested, type Outcome, type TableWatch, Transaction } from '../transaction.js';
import type { Checkout } from './checkout.js';
import type { PostgresClient } from './postgres-client.js';

/** Shared by all query runners of a database. */
export interface PostgresAccess {
  readonly driver: PostgresDriver;
  readonly watches: readonly TableWatch[];
  /** Registers a transaction that has to end before the pool is closed. */
  readonly track: (transaction: Promise<void>) => void;
}

/** Uses a connection of the pool from its first statement until it is released. */
export class PooledQueryRunner extends PostgresQueryRunner implements TransactionalRunner {
  transaction: Transaction | undefined;

  /** @param joined an open transaction of another query runner with the same checkout, for statements in it */
  constructor(
    private readonly access: PostgresAccess,
    readonly checkout: Checkout,
    private readonly joined?: Transaction,
  ) {
    super(access.driver, 'master');
    if (joined === undefined) return;
    this.transaction = joined;
    this.isTransactionActive = true;
    this.transactionDepth = 1;
  }

  override connect(): Promise<PostgresClient> {
    return this.checkout.connect(
      () => super.connect(),
      async (reason) => {
        void this.transaction?.root.close(reason);
        await this.release();
      },
    );
  }

  override async query(sql: string, parameters?: unknown[] | ObjectLiteral, isStructured?: boolean) {
    refuseTransactionControl(sql);
    const send = () => this.checkout.send(() => super.query(sql, parameters, isStructured));
    if (this.transaction !== undefined) return this.transaction.run(sql, send);
    if (isRead(sql)) return send();
    await Transaction.settled();
    const alone = new Transaction(this, this.access.watches);
    try {
      return await alone.run(sql, send);
    } finally {
      // A statement that failed may have been executed.
      await alone.end('rolled back');
    }
  }

  override async startTransaction(isolation?: IsolationLevel): Promise<void> {
    if (this.isTransactionActive) {
      this.transaction = await this.transaction?.nest(() => super.startTransaction(isolation));
      return;
    }
    this.isTransactionActive = true;
    this.transactionDepth = 1;
    try {
      await Transaction.settled();
      await this.broadcaster.broadcast('BeforeTransactionStart');
      await this.checkout.send(() =>
        super.query(isolation === undefined ? 'BEGIN' : `BEGIN ISOLATION LEVEL ${isolation}`),
      );
      const transaction = new Transaction(this, this.access.watches);
      this.transaction = transaction;
      this.access.track(new Promise((resolve) => transaction.onEnd(resolve)));
    } catch (error) {
      this.isTransactionActive = false;
      this.transactionDepth = 0;
      throw error;
    }
    await this.broadcaster.broadcast('AfterTransactionStart');
  }

  override async commitTransaction(): Promise<void> {
    if (this.transactionDepth > 1) return endNested(this, 'committed', () => super.commitTransaction());
    if (this.joined !== undefined || !this.isTransactionActive) return super.commitTransaction();
    await this.broadcaster.broadcast('BeforeTransactionCommit');
    await this.leave('committed', () => this.commit());
    await this.broadcaster.broadcast('AfterTransactionCommit');
  }

  override async rollbackTransaction(): Promise<void> {
    if (this.transactionDepth > 1) return endNested(this, 'rolled back', () => super.rollbackTransaction());
    if (this.joined !== undefined || !this.isTransactionActive) return super.rollbackTransaction();
    await this.broadcaster.broadcast('BeforeTransactionRollback');
    await this.leave('rolled back', () => this.checkout.send(() => super.query('ROLLBACK')));
    await this.broadcaster.broadcast('AfterTransactionRollback');
  }

  /** Rolls back an open transaction. */
  override async release(): Promise<void> {
    if (this.joined !== undefined) {
      while (this.transactionDepth > 1) await this.rollbackTransaction();
      this.isReleased = true;
      return;
    }
    try {
      await this.checkout.release(() => super.release());
    } finally {
      await this.transaction?.root.end('rolled back');
    }
  }

  private async leave(outcome: Outcome, end: () => Promise<unknown>): Promise<void> {
    const { transaction } = this;
    await transaction?.close();
    try {
      await end();
      await transaction?.end(outcome);
    } catch (error) {
      await transaction?.end('rolled back');
      throw error;
    } finally {
      this.transaction = undefined;
      this.isTransactionActive = false;
      this.transactionDepth = 0;
    }
  }

  /** PostgreSQL answers COMMIT of a failed transaction with success and the word ROLLBACK. */
  private async commit(): Promise<void> {
    const client = await this.connect();
    const { command } = await this.checkout.send<QueryResult>(() =>
      client.query('COMMIT').catch((error: Error) => {
        throw new QueryFailedError('COMMIT', [], error);
      }),
    );
    if (command !== 'COMMIT') throw new Error('A statement of the transaction failed, so it was rolled back.');
  }
}
