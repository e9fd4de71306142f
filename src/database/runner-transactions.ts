import { QueryRunnerAlreadyReleasedError, type QueryRunner, TransactionNotStartedError } from 'typeorm';
import type { BaseQueryRunner } from 'typeorm/query-runner/BaseQueryRunner.js';
import { innermostTransaction, transactionOfCaller } from './current-transaction.js';
import type { Transaction } from './transaction.js';

export type IsolationLevel = NonNullable<Parameters<QueryRunner['startTransaction']>[0]>;

/** The transactions of a query runner: that of its creator, which it joins, and those that it began in it. */
export class RunnerTransactions {
  readonly joined: Transaction | undefined;
  private readonly begun: Transaction[] = [];

  /** @param begin begins a transaction that is not nested */
  constructor(
    private readonly runner: BaseQueryRunner,
    private readonly begin: (isolation?: IsolationLevel) => Promise<Transaction>,
  ) {
    const creators = transactionOfCaller();
    const isJoined = creators?.state === 'open' && creators.connection.dataSource === runner.dataSource;
    this.joined = isJoined ? creators : undefined;
    this.update();
  }

  /** The one that statements belong to. In the work of a transaction that is nested in it, that one. */
  get current(): Transaction | undefined {
    const current = this.begun.at(-1) ?? this.joined;
    const innermost = innermostTransaction();
    return current !== undefined && innermost?.isNestedIn(current) === true ? innermost : current;
  }

  async start(isolation?: IsolationLevel): Promise<void> {
    if (this.runner.isReleased) throw new QueryRunnerAlreadyReleasedError();
    await this.runner.broadcaster.broadcast('BeforeTransactionStart');
    this.begun.push(await (this.current?.nest() ?? this.begin(isolation)));
    this.update();
    await this.runner.broadcaster.broadcast('AfterTransactionStart');
  }

  async commit(): Promise<void> {
    const transaction = this.begun.at(-1);
    if (transaction === undefined) {
      // `await using` commits whenever a transaction is active; this one is not of this query runner.
      if (this.joined !== undefined) return;
      throw new TransactionNotStartedError();
    }
    await this.runner.broadcaster.broadcast('BeforeTransactionCommit');
    await transaction.commit();
    this.begun.pop();
    this.update();
    await this.runner.broadcaster.broadcast('AfterTransactionCommit');
  }

  async rollback(): Promise<void> {
    if (this.begun.length === 0) throw new TransactionNotStartedError();
    try {
      await this.runner.broadcaster.broadcast('BeforeTransactionRollback');
    } finally {
      const transaction = this.begun.pop();
      this.update();
      await transaction?.rollback();
    }
    await this.runner.broadcaster.broadcast('AfterTransactionRollback');
  }

  /**
   * Rolls back those that are open, when the query runner is released.
   * @param reason why, if its user did not release it
   */
  async end(reason?: Error): Promise<void> {
    for (const transaction of this.begun.toReversed()) await transaction.rollback(reason);
  }

  private update(): void {
    this.runner.isTransactionActive = this.current !== undefined;
  }
}
