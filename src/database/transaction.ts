import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { describe } from '../platform/errors/domain-error.js';
import type { QueryAnswer, Statement } from './statements.js';
import { unavailable } from './unavailable.js';

export interface TransactionConnection {
  readonly dataSource: DataSource;
  connect(): Promise<unknown>;
  send(...statement: Statement): Promise<QueryAnswer>;
  /** Rolls back if it rejects. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

type Callback = () => void | Promise<void>;

const logger = new Logger('Database');

/**
 * Sends one statement after the other, and its end after all of them: they would join the next transaction of the connection.
 * Transactions inside it are parts of it, and are committed or rolled back with it.
 */
export class Transaction {
  state: 'open' | 'ending' | 'committed' | 'rolled back' = 'open';
  readonly ended = Promise.withResolvers<void>();
  /** Why it was rolled back, if not by its caller. */
  private reason: Error | undefined;
  /** Fulfilled when all that was sent is done. */
  private sent: Promise<unknown> = Promise.resolve();
  private openParts = 0;
  readonly commitCallbacks: Callback[] = [];
  /** A callback that is registered several times is called once. */
  readonly endCallbacks = new Set<Callback>();

  private readonly interruption = Promise.withResolvers<never>();

  constructor(readonly connection: TransactionConnection) {
    // Nothing waits for it if it was begun by hand.
    this.interruption.promise.catch(() => undefined);
  }

  get refusal(): Error {
    if (this.state === 'ending' && this.reason === undefined)
      return new Error('The transaction has ended. Await all of its statements in it.');
    return this.reason ?? new Error('The transaction of this call was rolled back, so the call is refused.');
  }

  /** Makes it the current one of `work`. Rejects when it is interrupted, because `work` may never end. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return Promise.race([contexts.run(this, work), this.interruption.promise]);
  }

  /** @throws (rejects) Error if the transaction has ended */
  send(...statement: Statement): Promise<QueryAnswer> {
    return this.last(() => {
      this.checkOpen();
      return this.connection.send(...statement);
    });
  }

  beginPart(): void {
    this.checkOpen();
    this.openParts += 1;
  }

  /** @throws Error if another part was rolled back, and all of it with that */
  endPart(): void {
    this.checkOpen();
    this.openParts -= 1;
  }

  /** @throws (rejects) Error if it was rolled back instead */
  async commit(): Promise<void> {
    this.checkOpen();
    if (this.openParts > 0) {
      await this.rollback(new Error('The transaction was rolled back, because one inside it was not awaited.'));
      throw this.refusal;
    }
    this.state = 'ending';
    await this.last(async () => {
      await this.connection.commit().catch(async (error: unknown) => {
        await this.settle('rolled back');
        throw error;
      });
      await this.settle('committed');
    });
  }

  /**
   * If it is ending already, only waits for that.
   * @param reason why it ends before its caller ended it
   */
  async rollback(reason?: Error): Promise<void> {
    if (this.hasEnded) return;
    this.state = 'ending';
    this.reason ??= reason;
    await this.last(async () => {
      if (this.hasEnded) return;
      await this.connection.rollback().finally(() => this.settle('rolled back'));
    });
  }

  /** Rolls it back because it took too long. */
  interrupt(reason: Error): Promise<void> {
    this.interruption.reject(reason);
    return this.rollback(reason);
  }

  private get hasEnded(): boolean {
    return this.state === 'committed' || this.state === 'rolled back';
  }

  private checkOpen(): void {
    if (this.state !== 'open') throw this.refusal;
  }

  private last<T>(work: () => Promise<T>): Promise<T> {
    const done = this.sent.then(work, work);
    this.sent = done.catch(() => undefined);
    return done;
  }

  /** Call it when the database has ended it, before its caller continues. */
  private async settle(outcome: 'committed' | 'rolled back'): Promise<void> {
    this.state = outcome;
    this.ended.resolve();
    if (outcome === 'committed') await runAll(this.commitCallbacks);
    await runAll(this.endCallbacks);
  }
}

/** The transaction has ended, so a callback that fails changes neither its outcome nor the other callbacks. */
async function runAll(callbacks: Iterable<Callback>): Promise<void> {
  for (const callback of callbacks) {
    try {
      await callback();
    } catch (error) {
      logger.error({ message: 'a callback of a transaction failed', error: describe(error, 'stack') });
    }
  }
}

/** Logs why a transaction is ended before its caller ended it, and returns the error for the caller. */
export function tookTooLong(reason: string): Error {
  logger.warn(reason);
  return unavailable(new Error(reason));
}

const contexts = new AsyncLocalStorage<Transaction>();

/** Runs work that several callers share outside of their transactions. */
export function outsideTransactions<T>(work: () => T): T {
  return contexts.exit(work);
}

/**
 * The transaction that the caller is part of: open, or ending with an unknown outcome. Work that goes on after a commit is
 * part of none.
 * @throws Error if it was rolled back: nothing more of the same work may be committed
 */
export function transactionOfCaller(): Transaction | undefined {
  const transaction = contexts.getStore();
  if (transaction?.state === 'rolled back') throw transaction.refusal;
  return transaction?.state === 'committed' ? undefined : transaction;
}

/** Waits for the outcome of a transaction of the caller that is ending. Call it before a write outside of it. */
export async function transactionSettled(): Promise<void> {
  const transaction = transactionOfCaller();
  if (transaction?.state === 'ending') await transaction.ended.promise;
  transactionOfCaller();
}

/**
 * Calls back at the end of the current transaction, before its outcome is reported; once, if registered twice. Also after a
 * failure, because a commit with an unknown outcome may have happened. Outside of a transaction it calls back at once.
 * @throws Error after a rollback
 */
export function onTransactionEnd(callback: () => void | Promise<void>): void {
  const transaction = transactionOfCaller();
  if (transaction === undefined) void runAll([callback]);
  else transaction.endCallbacks.add(callback);
}

/**
 * Calls back at the commit of the current transaction, before its outcome is reported, or at once outside of one. An error of
 * the callback is logged.
 * @throws Error after a rollback
 */
export function onCommit(callback: () => void): void {
  const transaction = transactionOfCaller();
  if (transaction === undefined) void runAll([callback]);
  else transaction.commitCallbacks.push(callback);
}
