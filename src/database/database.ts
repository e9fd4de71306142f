import { DataSource, EntityManager, type ObjectLiteral, type QueryRunner } from 'typeorm';
import type { IsolationLevel, TransactionalRunner } from './runner-transactions.js';
import { runIn, transactionOfCaller } from './transaction.js';

/** How many connections are in use and idle, and how many requests wait for one. */
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

  /**
   * Checks that the database responds, however many requests use it.
   * @throws (rejects) DomainError `service_unavailable`
   */
  abstract ping(): Promise<void>;

  /** Whether the caller is part of a transaction. */
  get isWriting(): boolean {
    return transactionOfCaller()?.connection.dataSource === this;
  }

  /** Reads what is committed; within `work` of a write, what that has written too. */
  read<T>(query: Work<T>): Promise<T> {
    return query(this.manager);
  }

  /**
   * Runs `work` in a transaction, which commits if `work` fulfils and rolls back if it rejects. Other writes may wait for
   * it, so `work` must await nothing but the database. On PostgreSQL, a statement that fails aborts the transaction. Inside
   * another transaction it is a part of that one: both commit together, and if `work` rejects, both are rolled back. After a
   * rollback, calls of `work` that goes on are refused.
   */
  write<T>(work: Work<T>): Promise<T> {
    return this.transaction(work);
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
    const [isolation, work] = typeof first === 'string' ? [first, second] : [undefined, first];
    if (work === undefined) throw new TypeError('A transaction needs a callback.');
    const inTransaction: Work<T> = (manager) => {
      const { current } = (manager.queryRunner as TransactionalRunner).transactions;
      return current === undefined ? work(manager) : runIn(current, () => work(manager));
    };
    return isolation === undefined ? super.transaction(inTransaction) : super.transaction(isolation, inTransaction);
  }
}
