import { Logger } from '@nestjs/common';
import type { DataSource, ObjectLiteral } from 'typeorm';
import type { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';

export type QueryParameters = unknown[] | ObjectLiteral;

/** What a query runner of TypeORM answers. */
export type QueryAnswer = Awaited<ReturnType<BetterSqlite3QueryRunner['query']>>;

/** The connection that a transaction has for itself. */
export interface TransactionConnection {
  readonly dataSource: DataSource;
  connect(): Promise<unknown>;
  send(sql: string, parameters?: QueryParameters, isStructured?: boolean): Promise<QueryAnswer>;
  /** Rolls back if it rejects. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

export type Callback = () => void | Promise<void>;

const logger = new Logger('Database');

/**
 * A transaction on a connection, or a nested one, which is a savepoint. It sends one statement after the other, and its end
 * after all of them: they would join the next transaction of the connection.
 */
export class Transaction {
  state: 'open' | 'ending' | 'committed' | 'rolled back' = 'open';
  /** Fulfilled when the database has ended it. */
  readonly ended = Promise.withResolvers<void>();
  /** Why it was rolled back, if not by its caller. */
  private reason: Error | undefined;
  /** Fulfilled when all that was sent is done. */
  private sent: Promise<unknown> = Promise.resolve();
  /** The open transaction that is nested in it: one at a time, because savepoints are a stack. */
  private nested: Transaction | undefined;
  private readonly savepoint: string;
  private readonly commitCallbacks: Callback[] = [];
  /** A callback that is registered several times is called once. */
  private readonly endCallbacks = new Set<Callback>();

  /** @param outer the transaction that it is nested in */
  constructor(
    readonly connection: TransactionConnection,
    readonly outer?: Transaction,
  ) {
    this.savepoint = outer === undefined ? 'nested' : `${outer.savepoint}_nested`;
  }

  /** Why it refuses a call. */
  get refusal(): Error {
    if (this.state === 'ending' && this.reason === undefined)
      return new Error('The transaction has ended. Await all of its statements in it.');
    return this.reason ?? new Error('The transaction of this call was rolled back, so the call is refused.');
  }

  isNestedIn(other: Transaction): boolean {
    return this.outer !== undefined && (this.outer === other || this.outer.isNestedIn(other));
  }

  /** @throws (rejects) Error if the transaction has ended */
  send(sql: string, parameters?: QueryParameters, isStructured?: boolean): Promise<QueryAnswer> {
    return this.enqueue(() => this.connection.send(sql, parameters, isStructured));
  }

  /** Begins a nested transaction. Until it ends, statements wait: they would be rolled back with it. */
  async nest(): Promise<Transaction> {
    const nested = new Transaction(this.connection, this);
    const begun = this.enqueue(() => {
      this.nested = nested;
      nested.sent = this.connection.send(`SAVEPOINT ${nested.savepoint}`);
      return nested.sent;
    });
    this.sent = begun.then(() => nested.ended.promise).catch(() => undefined);
    try {
      await begun;
      return nested;
    } catch (error) {
      await nested.settle('rolled back');
      throw error;
    }
  }

  onCommit(callback: Callback): void {
    this.commitCallbacks.push(callback);
  }

  onEnd(callback: Callback): void {
    if (this.outer === undefined) this.endCallbacks.add(callback);
    else this.outer.onEnd(callback);
  }

  /** @throws (rejects) Error if it was not committed; a nested one must then be rolled back */
  async commit(): Promise<void> {
    this.checkOpen();
    this.state = 'ending';
    await this.nested?.rollback(new Error('The nested transaction was rolled back, because it was not awaited.'));
    await this.last(async () => {
      if (this.hasEnded) throw this.refusal;
      if (this.outer === undefined) await this.commitOnConnection();
      else await this.connection.send(`RELEASE SAVEPOINT ${this.savepoint}`);
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
    await this.nested?.rollback(this.reason).catch(() => undefined);
    await this.last(async () => {
      if (this.hasEnded) return;
      try {
        if (this.outer === undefined) await this.connection.rollback();
        else await this.connection.send(`ROLLBACK TO SAVEPOINT ${this.savepoint}`);
      } finally {
        await this.settle('rolled back');
      }
    });
  }

  private get hasEnded(): boolean {
    return this.state === 'committed' || this.state === 'rolled back';
  }

  private async commitOnConnection(): Promise<void> {
    try {
      await this.connection.commit();
    } catch (error) {
      await this.settle('rolled back');
      throw error;
    }
  }

  /** @throws Error if it has ended, or one that it is nested in */
  private checkOpen(): void {
    if (this.state !== 'open') throw this.refusal;
    this.outer?.checkOpen();
  }

  private enqueue<T>(send: () => Promise<T>): Promise<T> {
    return this.last(() => {
      this.checkOpen();
      return send();
    });
  }

  /** Runs something after all that was sent. */
  private last<T>(work: () => Promise<T>): Promise<T> {
    const done = this.sent.then(work, work);
    this.sent = done.catch(() => undefined);
    return done;
  }

  /** Call it when the database has ended it, before its caller continues. */
  private async settle(outcome: 'committed' | 'rolled back'): Promise<void> {
    this.state = outcome;
    this.ended.resolve();
    const committed = outcome === 'committed' ? this.commitCallbacks : [];
    if (this.outer === undefined) return runAll([...committed, ...this.endCallbacks]);
    this.outer.commitCallbacks.push(...committed);
    if (this.outer.nested === this) this.outer.nested = undefined;
  }
}

/** The transaction has ended, so a callback that fails changes neither its outcome nor the other callbacks. */
export async function runAll(callbacks: readonly Callback[]): Promise<void> {
  for (const callback of callbacks) {
    try {
      await callback();
    } catch (error) {
      logger.error({ message: 'a callback of a transaction failed', error: String(error) });
    }
  }
}
