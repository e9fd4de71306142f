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
  /** Whether nobody but this process writes to the catalogue, so that what it remembers of it stays true. */
  abstract readonly isEmbedded: boolean;

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
