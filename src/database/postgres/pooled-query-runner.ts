import { Logger } from '@nestjs/common';
import type { Client, QueryResult } from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import { transactionSettled } from '../current-transaction.js';
import type { TransactionalRunner } from '../database.js';
import { type IsolationLevel, RunnerTransactions } from '../runner-transactions.js';
import { refuseTransactionControl } from '../statements.js';
import { type QueryAnswer, type QueryParameters, Transaction, type TransactionConnection } from '../transaction.js';
import { translatePostgres, unavailable } from '../unavailable.js';

/**
 * Uses a connection of the pool from its first statement until it is released. It loses it if it keeps it for too long: a
 * transaction, or a pause after a statement outside of one.
 */
export class PooledQueryRunner extends PostgresQueryRunner implements TransactionalRunner, TransactionConnection {
  readonly transactions: RunnerTransactions;
  private client: Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Why it cannot be used. */
  private closed: Error | undefined;

  constructor(
    driver: PostgresDriver,
    private readonly timeoutMs: number,
  ) {
    super(driver, 'master');
    this.transactions = new RunnerTransactions(this, (isolation) => this.begin(isolation));
  }

  override async connect(): Promise<unknown> {
    const { joined } = this.transactions;
    if (joined !== undefined) return joined.connection.connect();
    try {
      this.client ??= (await super.connect()) as Client;
    } catch (error) {
      throw unavailable(error);
    }
    this.timer ??= setTimeout(() => this.expire(), this.timeoutMs).unref();
    return this.client;
  }

  override async query(sql: string, parameters?: QueryParameters, isStructured?: boolean): Promise<QueryAnswer> {
    refuseTransactionControl(sql);
    if (this.closed !== undefined) throw this.closed;
    const { current } = this.transactions;
    if (current !== undefined) return current.send(sql, parameters, isStructured);
    await transactionSettled();
    this.timer?.refresh();
    return this.send(sql, parameters, isStructured);
  }

  async send(sql: string, parameters?: QueryParameters, isStructured?: boolean): Promise<QueryAnswer> {
    try {
      return await super.query(sql, parameters, isStructured);
    } catch (error) {
      throw translatePostgres(error);
    }
  }

  /** PostgreSQL answers COMMIT of a failed transaction with success and the word ROLLBACK. */
  async commit(): Promise<void> {
    const result = await this.client?.query('COMMIT').catch((cause: Error): QueryResult => {
      throw translatePostgres(new QueryFailedError('COMMIT', [], cause));
    });
    if (result?.command !== 'COMMIT') throw new Error('A statement of the transaction failed, so it was rolled back.');
  }

  async rollback(): Promise<void> {
    await this.send('ROLLBACK');
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

  /** Rolls back an open transaction. */
  override release(): Promise<void> {
    return this.close(new QueryRunnerAlreadyReleasedError());
  }

  private async begin(isolation?: IsolationLevel): Promise<Transaction> {
    await transactionSettled();
    await this.send(isolation === undefined ? 'BEGIN' : `BEGIN ISOLATION LEVEL ${isolation}`);
    return new Transaction(this);
  }

  private expire(): void {
    const reason = new Error(`A connection was closed because it was not released within ${this.timeoutMs} ms.`);
    new Logger('Database').warn(reason.message);
    this.close(unavailable(reason)).catch(() => undefined);
  }

  private async close(reason: Error): Promise<void> {
    if (this.closed !== undefined) return;
    this.closed = reason;
    // A connection that is still being opened would never be returned.
    await this.databaseConnectionPromise?.catch(() => undefined);
    clearTimeout(this.timer);
    try {
      await this.transactions.end(reason);
    } finally {
      // A statement in progress, or an open transaction, would reach the next user of the connection.
      if (this.client !== undefined && this.client.getTransactionStatus() !== 'I') this.discard(reason);
      await super.release();
    }
  }

  /** What the base class does with a connection that failed. */
  private discard(reason: Error): void {
    this.releaseCallback?.(reason);
    delete this.releaseCallback;
  }
}
