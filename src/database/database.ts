import { DataSource, EntityManager, type ObjectLiteral, type QueryRunner } from 'typeorm';
import { QueryRunnerAlreadyReleasedError, TransactionNotStartedError } from 'typeorm';
import type { IsolationLevel } from 'typeorm/driver/types/IsolationLevel.js';
import type { BaseQueryRunner } from 'typeorm/query-runner/BaseQueryRunner.js';
import { type Transaction, transactionOfCaller } from './transaction.js';

export interface ConnectionUse {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

export type Work<T> = (manager: EntityManager) => Promise<T>;

/**
 * The data source. Repositories, `transaction` and query runners of TypeORM work as its documentation shows, on either
 * database: within a transaction they join it; outside of one, each statement is committed separately. Throws
 * DomainError `service_unavailable` while the database is unavailable.
 */
export abstract class Database extends DataSource {
  /** Whether the database is a file that only this process serves. */
  abstract readonly isEmbedded: boolean;

  /** The connections to PostgreSQL, or the one that writes to SQLite. */
  abstract readonly connections: ConnectionUse;

  /** Checks that the database responds, however many requests use it, or rejects with `service_unavailable`. */
  abstract ping(): Promise<void>;

  /** Whether another process has written since the last call, where a file tells it. No server is asked. */
  wasWrittenElsewhere(): boolean {
    return false;
  }

  /** Whether the caller is part of a transaction. */
  get isWriting(): boolean {
    return transactionOfCaller()?.connection.dataSource === this;
  }

  /** @deprecated Use `manager`, which reads the same. */
  read<T>(work: Work<T>): Promise<T> {
    return work(this.manager);
  }

  /**
   * Runs `work` in a transaction, which commits if `work` fulfils and rolls back if it rejects. Other writes may wait for
   * it, so `work` must await nothing but the database. On PostgreSQL, a statement that fails aborts the transaction. Inside
   * another transaction it is a part of that one: both commit together, and if `work` rejects, both are rolled back. After a
   * rollback, calls of `work` that goes on are refused.
   */
  write<T>(work: Work<T>): Promise<T> {
    return this.manager.transaction(work);
  }

  /** Also with a query runner that lost its connection, which knows why. */
  override async query<T>(sql: string, parameters?: unknown[] | ObjectLiteral, runner?: QueryRunner): Promise<T> {
    return runner === undefined ? super.query(sql, parameters) : runner.query(sql, parameters);
  }

  override createEntityManager(runner?: QueryRunner): EntityManager {
    return new TransactionManager(this, runner);
  }

  override createQueryRunner(): QueryRunner {
    const runner = this.createRunner();
    this.createEntityManager(runner);
    return runner;
  }

  protected abstract createRunner(): TransactionalRunner;
}

/** Makes a transaction the current one for everything that is called in it. */
class TransactionManager extends EntityManager {
  override transaction<T>(work: Work<T>): Promise<T>;
  override transaction<T>(isolation: IsolationLevel, work: Work<T>): Promise<T>;
  override async transaction<T>(first: IsolationLevel | Work<T>, second?: Work<T>): Promise<T> {
    const [isolation, work] = typeof first === 'string' ? [first, second] : (['READ COMMITTED', first] as const);
    if (work === undefined) throw new TypeError('A transaction needs a callback.');
    return super.transaction(isolation, (manager) => {
      const { current } = (manager.queryRunner as TransactionalRunner).transactions;
      return current === undefined ? work(manager) : current.run(() => work(manager));
    });
  }
}

interface TransactionalRunner extends QueryRunner {
  readonly transactions: RunnerTransactions;
}

/** The transaction of a query runner: that of its creator, which it joins, or one that it begins with `startTransaction`. */
export class RunnerTransactions {
  /** The one that statements belong to. */
  current: Transaction | undefined;
  readonly isJoined: boolean;
  /** How many transactions it has begun in the current one. They are parts of it. */
  private parts = 0;

  constructor(
    private readonly runner: BaseQueryRunner & QueryRunner,
    private readonly begin: (isolation?: IsolationLevel) => Promise<Transaction>,
  ) {
    const creators = transactionOfCaller();
    this.isJoined = creators?.state === 'open' && creators.connection.dataSource === runner.dataSource;
    this.use(this.isJoined ? creators : undefined);
  }

  async start(isolation?: IsolationLevel): Promise<void> {
    if (this.runner.isReleased) throw new QueryRunnerAlreadyReleasedError();
    if (this.current === undefined) return this.use(await this.begin(isolation));
    this.current.beginPart();
    this.parts += 1;
  }

  async commit(): Promise<void> {
    // `await using` commits whenever a transaction is active; a joined one is not of this query runner.
    if (this.parts === 0 && this.isJoined) return;
    if (this.current === undefined) throw new TransactionNotStartedError();
    if (this.parts === 0) {
      await this.current.commit();
      this.use(undefined);
    } else {
      this.current.endPart();
      this.parts -= 1;
    }
  }

  /** Rolls back the whole transaction, also if only a part of it failed. */
  async rollback(): Promise<void> {
    const { current } = this;
    const isPart = this.parts > 0;
    if (current === undefined || (!isPart && this.isJoined)) throw new TransactionNotStartedError();
    if (isPart) this.parts -= 1;
    else this.use(undefined);
    await current.rollback(isPart ? partFailed() : undefined);
  }

  /** Rolls back what it began, when the query runner is released: by its user, or for a reason. */
  async end(reason: () => Error | undefined = () => undefined): Promise<void> {
    if (!this.isJoined) await this.current?.rollback(reason());
    else if (this.parts > 0) await this.current?.rollback(reason() ?? partFailed());
  }

  private use(transaction: Transaction | undefined): void {
    this.current = transaction;
    this.runner.isTransactionActive = transaction !== undefined;
  }
}

const partFailed = () => new Error('A transaction inside this one was rolled back.');
