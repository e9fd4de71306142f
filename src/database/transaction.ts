import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import type { EntityManager, QueryRunner } from 'typeorm';
import { isRead } from './statements.js';
import { isUnavailable } from './unavailable.js';

export type Outcome = 'committed' | 'rolled back';

export type Work<T> = (manager: EntityManager) => Promise<T>;

type Callback = () => void | Promise<void>;

/** Called with the statements that wrote to a table when their transaction has ended, before its caller continues. */
export interface TableWatch {
  readonly table: string;
  readonly listener: (statements: readonly string[]) => void | Promise<void>;
}

const contexts = new AsyncLocalStorage<Transaction>();
const logger = new Logger('Database');

/**
 * A transaction on a connection, a nested one, or a single statement. It accepts statements while it is open, and waits for
 * those in progress before it ends: they would join the next transaction of the connection.
 */
export class Transaction {
  /** Set if an embedded database failed in it: more than the statement may be lost. */
  databaseFailure: unknown;
  private isClosed = false;
  private closedBy: Error | undefined;
  private outcome: Outcome | undefined;
  private readonly ended = Promise.withResolvers<void>();
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly written = new Set<string>();
  private readonly commitCallbacks: Callback[] = [];
  private readonly endCallbacks: Callback[] = [];
  private lastNested: Promise<void> = Promise.resolve();

  /**
   * @param runner that has the connection
   * @param outer the transaction that it is nested in
   */
  constructor(
    readonly runner: QueryRunner,
    private readonly watches: readonly TableWatch[],
    readonly outer?: Transaction,
  ) {}

  /**
   * The transaction that the caller is part of: open, or ending with an unknown outcome; after a commit, the outer one.
   * @throws Error if it was rolled back: nothing more of the same work may be committed
   */
  static get ofCaller(): Transaction | undefined {
    let transaction = contexts.getStore();
    while (transaction?.outcome === 'committed') transaction = transaction.outer;
    if (transaction === undefined || transaction.isPending) return transaction;
    throw transaction.closedBy ?? new Error('The transaction of this call was rolled back, so the call is refused.');
  }

  /** The transaction that statements of the caller join. */
  static get current(): Transaction | undefined {
    return Transaction.ofCaller?.isClosed === false ? Transaction.ofCaller : undefined;
  }

  /** Waits for the outcome of a transaction of the caller that is ending. Call it before a write outside of it. */
  static async settled(): Promise<void> {
    while (Transaction.ofCaller?.isClosed === true) await Transaction.ofCaller.ended.promise;
  }

  /** A nested one that is ending accepts nothing, because its work could neither join nor wait for the outer one. */
  private get isPending(): boolean {
    return !this.isClosed || (this.outcome === undefined && this.closedBy === undefined && this.outer === undefined);
  }

  /** The outermost transaction. */
  get root(): Transaction {
    return this.outer?.root ?? this;
  }

  /** Makes it the current transaction of `work`. */
  enter<T>(work: () => Promise<T>): Promise<T> {
    return contexts.run(this, work);
  }

  /** @throws (rejects) Error if it has ended */
  async run<T>(sql: string, send: () => Promise<T>): Promise<T> {
    if (this.isClosed)
      throw this.closedBy ?? new Error('The transaction has ended. Await all of its statements in it.');
    if (!isRead(sql)) this.written.add(sql);
    const statement = this.outer === undefined ? send() : this.outer.run(sql, send);
    this.underWay.add(statement);
    try {
      return await statement;
    } catch (error) {
      if (isUnavailable(error)) this.databaseFailure = error;
      throw error;
    } finally {
      this.underWay.delete(statement);
    }
  }

  /**
   * Begins a nested transaction. Savepoints are a stack, so nested ones run one after the other.
   * @param begin sets the savepoint
   */
  async nest(begin: () => Promise<void>): Promise<Transaction> {
    const before = this.lastNested;
    const inner = new Transaction(this.runner, this.watches, this);
    this.lastNested = new Promise((resolve) => inner.endCallbacks.push(resolve));
    await before;
    try {
      await begin();
      return inner;
    } catch (error) {
      await inner.end('rolled back');
      throw error;
    }
  }

  onCommit(callback: Callback): void {
    this.commitCallbacks.push(callback);
  }

  onEnd(callback: Callback): void {
    if (this.outer === undefined) this.endCallbacks.push(callback);
    else this.outer.onEnd(callback);
  }

  /**
   * Accepts no more statements, and waits for those in progress.
   * @param reason why it ended before its caller ended it
   */
  async close(reason?: Error): Promise<void> {
    if (!this.isClosed) this.closedBy = reason;
    this.isClosed = true;
    await Promise.allSettled(this.underWay);
  }

  /** Call it when the database has ended it, before its caller continues. */
  async end(outcome: Outcome): Promise<void> {
    await this.close();
    this.outcome ??= outcome;
    this.ended.resolve();
    const committed = outcome === 'committed' ? this.commitCallbacks.splice(0) : [];
    const ended = this.endCallbacks.splice(0);
    if (this.outer === undefined) {
      await runAll([...committed, ...ended, ...this.notifyWatches()]);
    } else {
      this.outer.commitCallbacks.push(...committed);
      await runAll(ended);
    }
  }

  private notifyWatches(): Callback[] {
    const written = [...this.written];
    this.written.clear();
    return this.watches.flatMap(({ table, listener }) => {
      const statements = written.filter((sql) => sql.toLowerCase().includes(table));
      return statements.length === 0 ? [] : [() => listener(statements)];
    });
  }
}

/** The transaction has ended, so a callback that fails changes neither its outcome nor the other callbacks. */
async function runAll(callbacks: readonly Callback[]): Promise<void> {
  for (const callback of callbacks) {
    try {
      await callback();
    } catch (error) {
      logger.error({ message: 'a callback of a transaction failed', error: String(error) });
    }
  }
}

/** Runs work that several callers share outside of their transactions. */
export function outsideTransactions<T>(work: () => T): T {
  return contexts.exit(work);
}

/**
 * Ends a nested transaction.
 * @param runner that began it
 * @param end releases the savepoint or rolls back to it
 */
export async function endNested(
  runner: { transaction: Transaction | undefined },
  outcome: Outcome,
  end: () => Promise<void>,
): Promise<void> {
  const inner = runner.transaction;
  await inner?.close();
  runner.transaction = inner?.outer;
  try {
    await end();
  } catch (error) {
    runner.transaction = inner;
    throw error;
  }
  await inner?.end(outcome);
}
