import { asWrite, type Work } from './within-write.js';

export interface WriteOptions {
  /** How long to wait for a lock of another process, in milliseconds, where the database leaves waiting to its user. */
  readonly lockWaitMs?: number;
}

/**
 * How features reach their data, whichever database it lies in.
 * A database that can't answer at the moment shows as ApiError `service_unavailable` with Retry-After.
 */
export abstract class Database {
  /** Whether this process alone serves the database, which lies in a file of its own. */
  abstract readonly isEmbedded: boolean;

  /** A number that is another one once any other process has written to an embedded database; 0 of others, always. */
  async foreignVersion(): Promise<number> {
    return 0;
  }

  /** Reads what is committed. */
  abstract read<T>(query: Work<T>): Promise<T>;

  /**
   * Runs `work` in a transaction of its own: durable once fulfilled, without a trace when rejected. Other writes may
   * wait for it, so `work` must await nothing but the database. A statement that fails ends the transaction on
   * PostgreSQL: `work` can't go on after it.
   * @throws Error when called within `work` of another write
   */
  write<T>(work: Work<T>, options?: WriteOptions): Promise<T> {
    return asWrite(work, (doWork) => this.transact(doWork, options));
  }

  protected abstract transact<T>(work: Work<T>, options?: WriteOptions): Promise<T>;
}
