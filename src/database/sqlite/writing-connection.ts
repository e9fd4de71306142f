import { setTimeout as delay } from 'node:timers/promises';
import type { Env } from '../../platform/config/env.js';
import type { QueryAnswer, Statement } from '../statements.js';
import { tookTooLong, Transaction, type TransactionConnection, transactionSettled } from '../transaction.js';
import type { Turns } from '../turns.js';
import { isBusy, translateSqlite, unavailable } from '../unavailable.js';
import { SharedConnection } from './sqlite-query-runner.js';

/** Between two attempts at the lock of another process. */
const LOCK_RETRY_MS = 5;

export type SqliteTimeouts = Pick<Env, 'DATABASE_TIMEOUT_MS' | 'DATABASE_TRANSACTION_TIMEOUT_MS'>;

/**
 * SQLite has one writer: a statement that is sent during another transaction would join it, and be rolled back with it. So a
 * transaction has the connection for itself, and so has a single statement.
 */
export class WritingConnection extends SharedConnection implements TransactionConnection {
  /** Ends the turn of the current transaction, before its callbacks, which may write. */
  private free: () => void = () => undefined;

  constructor(
    private readonly turns: Turns,
    private readonly timeouts: SqliteTimeouts,
    ...shared: ConstructorParameters<typeof SharedConnection>
  ) {
    super(...shared);
  }

  /** @throws (rejects) DomainError `service_unavailable` if other writes take too long */
  async begin(): Promise<Transaction> {
    await transactionSettled();
    const { DATABASE_TIMEOUT_MS: waitMs, DATABASE_TRANSACTION_TIMEOUT_MS: transactionMs } = this.timeouts;
    const askedMs = performance.now();
    await this.turns.take(waitMs);
    try {
      await this.lockFile(askedMs + waitMs);
    } catch (error) {
      this.turns.give();
      throw translateSqlite(error);
    }
    const gotMs = performance.now();
    const transaction = new Transaction(this);
    const timer = setTimeout(() => {
      const reason = `A transaction was rolled back because it did not end within ${transactionMs} ms.`;
      void transaction.interrupt(tookTooLong(reason));
    }, transactionMs).unref();
    this.free = () => {
      clearTimeout(timer);
      this.observer.observeWriteLock(gotMs - askedMs, performance.now() - gotMs);
      this.turns.give();
    };
    return transaction;
  }

  /** Runs a statement in a transaction of its own. */
  async run(...statement: Statement): Promise<QueryAnswer> {
    const transaction = await this.begin();
    try {
      const result = await transaction.send(...statement);
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }

  async send(...statement: Statement): Promise<QueryAnswer> {
    this.checkTransaction();
    return this.execute(statement);
  }

  async commit(): Promise<void> {
    try {
      this.checkTransaction();
      this.checkFile();
      this.sqlite.exec('COMMIT');
    } catch (error) {
      await this.rollback();
      throw translateSqlite(error);
    }
    this.free();
  }

  async rollback(): Promise<void> {
    try {
      if (this.sqlite.inTransaction) this.sqlite.exec('ROLLBACK');
    } finally {
      this.free();
    }
  }

  /** SQLite rolls back by itself, for example on a full disk. A statement would then be committed alone. */
  private checkTransaction(): void {
    if (!this.sqlite.inTransaction) throw unavailable(new Error('SQLite rolled the transaction back.'));
  }

  /** Takes SQLite's write lock; waits for other processes without blocking the event loop. */
  private async lockFile(deadlineMs: number): Promise<void> {
    for (;;) {
      try {
        // A plain BEGIN would take the lock with the first write, which can then fail in the middle of a transaction.
        this.sqlite.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadlineMs) throw error;
        await delay(LOCK_RETRY_MS);
      }
    }
  }
}
