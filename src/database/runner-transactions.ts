import { type QueryRunner, QueryRunnerAlreadyReleasedError, TransactionNotStartedError } from 'typeorm';
import type { BaseQueryRunner } from 'typeorm/query-runner/BaseQueryRunner.js';
import { type Transaction, transactionOfCaller } from './transaction.js';

export type IsolationLevel = NonNullable<Parameters<QueryRunner['startTransaction']>[0]>;

/** A query runner that joins transactions. */
export interface TransactionalRunner extends QueryRunner {
  readonly transactions: RunnerTransactions;
}

/** The transaction of a query runner: that of its creator, which it joins, or one that it begins with `startTransaction`. */
export class RunnerTransactions {
  readonly joined: Transaction | undefined;
  private own: Transaction | undefined;
  /** How many transactions it has begun in the current one. They are parts of it. */
  private parts = 0;

  constructor(
    private readonly runner: BaseQueryRunner & QueryRunner,
    private readonly begin: (isolation?: IsolationLevel) => Promise<Transaction>,
  ) {
    const creators = transactionOfCaller();
    const isJoined = creators?.state === 'open' && creators.connection.dataSource === runner.dataSource;
    this.joined = isJoined ? creators : undefined;
    // Instead of those of the driver.
    runner.startTransaction = (isolation) => this.start(isolation);
    runner.commitTransaction = () => this.commit();
    runner.rollbackTransaction = () => this.rollback();
    this.update();
  }

  /** The one that statements belong to. */
  get current(): Transaction | undefined {
    return this.own ?? this.joined;
  }

  private async start(isolation?: IsolationLevel): Promise<void> {
    if (this.runner.isReleased) throw new QueryRunnerAlreadyReleasedError();
    if (this.current === undefined) {
      this.own = await this.begin(isolation);
    } else {
      this.current.beginPart();
      this.parts += 1;
    }
    this.update();
  }

  private async commit(): Promise<void> {
    // `await using` commits whenever a transaction is active; a joined one is not of this query runner.
    if (this.parts === 0 && this.own === undefined && this.joined !== undefined) return;
    if (this.current === undefined) throw new TransactionNotStartedError();
    if (this.parts > 0) {
      this.current.endPart();
      this.parts -= 1;
    } else {
      await this.own?.commit();
      this.own = undefined;
    }
    this.update();
  }

  /** Rolls back the whole transaction, also if only a part of it failed. */
  private async rollback(): Promise<void> {
    const { current } = this;
    const isPart = this.parts > 0;
    if (current === undefined || (!isPart && this.own === undefined)) throw new TransactionNotStartedError();
    if (isPart) this.parts -= 1;
    else this.own = undefined;
    this.update();
    await current.rollback(isPart ? partFailed() : undefined);
  }

  /**
   * Rolls back what it began, when the query runner is released.
   * @param reason why, if its user did not release it
   */
  async end(reason?: Error): Promise<void> {
    if (this.own !== undefined) await this.own.rollback(reason);
    else if (this.parts > 0) await this.joined?.rollback(reason ?? partFailed());
  }

  private update(): void {
    this.runner.isTransactionActive = this.current !== undefined;
  }
}

function partFailed(): Error {
  return new Error('A transaction inside this one was rolled back.');
}
