import type { Pool, QueryResult } from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import type { IsolationLevel } from 'typeorm/driver/types/IsolationLevel.js';
import type { Env } from '../../platform/config/env.js';
import { currentAccountId } from '../events/actor.js';
import { RunnerTransactions } from '../database.js';
import type { StatementObserver } from '../statement-observer.js';
import { type QueryAnswer, refuseTransactionControl, type Statement } from '../statements.js';
import { tookTooLong, Transaction, type TransactionConnection, transactionSettled } from '../transaction.js';
import type { Turns } from '../turns.js';
import { translatePostgres, unavailable } from '../unavailable.js';
import { beginStatement, type PostgresClient } from './postgres-options.js';

/** What the log has of sessions. What others run is visible only to roles with `pg_read_all_stats`. */
export const SESSIONS = `
  SELECT "pid", "application_name" AS "application", "state", left("query", 300) AS "statement",
    round(extract(epoch FROM now() - "xact_start") * 1000)::int AS "transactionMs"
  FROM pg_stat_activity WHERE`;
/** The sessions that a session waits for. */
const BLOCKERS = `${SESSIONS} "pid" = ANY(pg_blocking_pids($1))`;

/**
 * Uses a connection of the pool from its first statement until it is released. It loses it if it keeps it for too long: a
 * transaction, or a pause after a statement outside of one.
 */
export class PooledQueryRunner extends PostgresQueryRunner implements TransactionConnection {
  readonly transactions = new RunnerTransactions(this, (isolation) => this.begin(isolation));
  private client: PostgresClient | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Creates the error of later calls, whose stack would cost each release a few microseconds. */
  private closed: (() => Error) | undefined;

  constructor(
    driver: PostgresDriver,
    private readonly env: Env,
    private readonly turns: Turns,
    private readonly monitoring: Pool,
    private readonly observer: StatementObserver,
  ) {
    super(driver, 'master');
  }

  override async connect(): Promise<unknown> {
    const { current, isJoined } = this.transactions;
    if (current !== undefined && isJoined) return current.connection.connect();
    try {
      this.client ??= (await super.connect()) as PostgresClient;
    } catch (error) {
      throw unavailable(error);
    }
    this.timer ??= setTimeout(() => this.expire(), this.env.DATABASE_TRANSACTION_TIMEOUT_MS).unref();
    return this.client;
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
    refuseTransactionControl(statement[0]);
    if (this.closed !== undefined) throw this.closed();
    const { current } = this.transactions;
    if (current !== undefined) return current.send(...statement);
    await transactionSettled();
    this.timer?.refresh();
    return this.send(...statement);
  }

  async send(...statement: Statement): Promise<QueryAnswer> {
    const [sql] = statement;
    const { DATABASE_TIMEOUT_MS: limitMs } = this.env;
    const { slowMs } = this.observer;
    // The second one starts when the first one has ended, as hardly any does.
    let timer = setTimeout(
      () => {
        if (slowMs < limitMs) void this.reportSlow(sql);
        timer = setTimeout(() => this.cancelPooled(), limitMs - slowMs);
      },
      Math.min(slowMs, limitMs),
    );
    try {
      return await this.observer.watch(sql, () => super.query(...statement));
    } catch (error) {
      throw translatePostgres(error);
    } finally {
      clearTimeout(timer);
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

  override release(): Promise<void> {
    return this.close(() => new QueryRunnerAlreadyReleasedError());
  }

  private async begin(isolation: IsolationLevel = 'READ COMMITTED'): Promise<Transaction> {
    await transactionSettled();
    const account = currentAccountId();
    const endTurn = () => this.turns.give(account);
    await this.turns.take(this.env.DATABASE_TIMEOUT_MS, account);
    try {
      await this.connect();
      await this.send(beginStatement(isolation, this.env, this.client?.isPooled === true));
    } catch (error) {
      endTurn();
      throw error;
    }
    const transaction = new Transaction(this);
    transaction.endCallbacks.add(endTurn);
    return transaction;
  }

  /** Behind a pooler, a statement outside of a transaction has no timeout in the database. */
  private cancelPooled(): void {
    if (this.client?.isPooled === true) this.client.cancelStatement();
  }

  /** Logs a statement that is still running, with the sessions that it waits for. */
  private async reportSlow(sql: string): Promise<void> {
    const processID = this.client?.processID;
    const search = processID == null ? undefined : this.monitoring.query<object>(BLOCKERS, [processID]);
    const found = await search?.catch(() => undefined);
    this.observer.logSlow(sql, this.observer.slowMs, found?.rows);
  }

  private expire(): void {
    const { DATABASE_TRANSACTION_TIMEOUT_MS: limitMs } = this.env;
    const reason = tookTooLong(`A connection was closed because it was not released within ${limitMs} ms.`);
    void this.transactions.current?.interrupt(reason).catch(() => undefined);
    this.close(() => reason).catch(() => undefined);
  }

  private async close(reason: () => Error): Promise<void> {
    if (this.closed !== undefined) return;
    this.closed = reason;
    // A connection that is still being opened would never be returned.
    await this.databaseConnectionPromise?.catch(() => undefined);
    clearTimeout(this.timer);
    try {
      await this.transactions.end(reason);
    } finally {
      // A statement in progress, or an open transaction, would reach the next user of the connection, so it is closed, as
      // the base class does with one that failed.
      if (this.client !== undefined && this.client.getTransactionStatus() !== 'I') {
        this.releaseCallback?.(reason());
        delete this.releaseCallback;
      }
      await super.release();
    }
  }
}
