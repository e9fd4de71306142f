import { DataSource, EntityManager, type ObjectLiteral, type QueryRunner, type ReplicationMode } from 'typeorm';
import { type TableWatch, Transaction, type Work } from './transaction.js';

export interface WriteOptions {
  /** How long to wait for the write lock on SQLite, in milliseconds. */
  readonly lockWaitMs?: number;
}

export type IsolationLevel = NonNullable<Parameters<QueryRunner['startTransaction']>[0]>;

/** A query runner that knows the transaction that is open on it. */
export interface TransactionalRunner extends QueryRunner {
  readonly transaction: Transaction | undefined;
}

/**
 * The data source. Features access their data with `read` and `write`, on either database. Repositories, `transaction` and
 * query runners of TypeORM work as well: within a transaction they join it; outside of one, each statement is committed
 * separately. Throws UnavailableError while the database is unavailable.
 */
export abstract class Database extends DataSource {
  /** Whether the database is a file that only this process serves. */
  abstract readonly isEmbedded: boolean;

  protected readonly watches: TableWatch[] = [];

  /** Changes when another process writes to an embedded database; always 0 for PostgreSQL. */
  async foreignVersion(): Promise<number> {
    return 0;
  }

  /** Whether the caller is part of a write. */
  get isWriting(): boolean {
    return Transaction.ofCaller?.runner.dataSource === this;
  }

  /** Reads what is committed; within `work` of a write, what that has written too. */
  read<T>(query: Work<T>): Promise<T> {
    const { current } = this;
    return current === undefined
      ? this.readCommitted(query)
      : query(this.createEntityManager(this.createJoined(current)));
  }

  /**
   * Runs `work` in a transaction, which commits if `work` fulfils and rolls back if it rejects. Other writes may wait for
   * it, so `work` must await nothing but the database. On PostgreSQL, a statement that fails aborts the transaction. Inside
   * another write it is a savepoint: it commits with that write, and rolls back alone if only it fails. After a rollback,
   * calls of `work` that goes on are refused.
   */
  async write<T>(work: Work<T>, options: WriteOptions = {}): Promise<T> {
    const { current } = this;
    const runner = current === undefined ? this.createWriter(options) : this.createJoined(current);
    try {
      return await this.createEntityManager(runner).transaction(work);
    } finally {
      await runner.release();
    }
  }

  /** The transaction that the caller is in. */
  private get current(): Transaction | undefined {
    const { current } = Transaction;
    return current?.runner.dataSource === this ? current : undefined;
  }

  /** Calls a listener after each transaction or single statement that may have written to a table. */
  watch(table: string, listener: TableWatch['listener']): void {
    this.watches.push({ table, listener });
  }

  /** Also with a query runner that lost its connection, which knows why. */
  override async query<T>(sql: string, parameters?: unknown[] | ObjectLiteral, runner?: QueryRunner): Promise<T> {
    return runner === undefined ? super.query(sql, parameters) : runner.query(sql, parameters);
  }

  override createEntityManager(runner?: QueryRunner): EntityManager {
    return new TransactionManager(this, runner);
  }

  override createQueryRunner(mode: ReplicationMode = 'master'): QueryRunner {
    const { current } = this;
    const runner = current === undefined ? this.createSeparate(mode) : this.createJoined(current);
    this.createEntityManager(runner);
    return runner;
  }

  protected abstract readCommitted<T>(query: Work<T>): Promise<T>;

  /** For one transaction of `write`. */
  protected abstract createWriter(options: WriteOptions): TransactionalRunner;

  /** For statements in an open transaction. */
  protected abstract createJoined(transaction: Transaction): TransactionalRunner;

  /** For statements and transactions outside of any other. */
  protected abstract createSeparate(mode: ReplicationMode): QueryRunner;
}

/** Makes a transaction the current one for everything that is called in it. */
class TransactionManager extends EntityManager {
  override transaction<T>(work: Work<T>): Promise<T>;
  override transaction<T>(isolation: IsolationLevel, work: Work<T>): Promise<T>;
  override async transaction<T>(first: IsolationLevel | Work<T>, second?: Work<T>): Promise<T> {
    const [isolation, work] = typeof first === 'string' ? [first, second] : [undefined, first];
    if (work === undefined) throw new TypeError('A transaction needs a callback.');
    const inTransaction: Work<T> = (manager) => enter(manager, work);
    return isolation === undefined ? super.transaction(inTransaction) : super.transaction(isolation, inTransaction);
  }
}

function enter<T>(manager: EntityManager, work: Work<T>): Promise<T> {
  const { queryRunner = {} } = manager;
  const transaction = 'transaction' in queryRunner ? queryRunner.transaction : undefined;
  return transaction instanceof Transaction ? transaction.enter(() => work(manager)) : work(manager);
}
