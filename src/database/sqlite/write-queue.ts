import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { Database as SqliteConnection } from 'sqlite-driver';
import { outsideTransactions, type Transaction } from '../transaction.js';
import { isBusy, translate, unavailable } from '../unavailable.js';
import type { FileIdentity } from './file-identity.js';
import { Turn } from './turn.js';

/** How long a write waits for its turn before it fails, in milliseconds. */
const LOCK_WAIT_MS = 10_000;
/** Pause between two attempts at the lock of another process, in milliseconds. */
const LOCK_RETRY_MS = 5;
/** Maximum number of turns in a transaction; bounds how long their statements block the event loop. */
const BATCH_SIZE = 64;

export interface TurnOptions {
  readonly lockWaitMs?: number;
  /** For work that may await more than the database: it shares its commit with no other turn. */
  readonly isAlone?: boolean;
}

interface Waiting extends TurnOptions {
  readonly begin: () => Turn;
  readonly reject: (reason: unknown) => void;
}

/**
 * Runs one transaction at a time on the writing connection.
 *
 * SQLite has one writer: a statement that is issued during another transaction would join it, and be rolled back with it.
 * Turns that wait together share one transaction and one fsync (group commit), each behind its own savepoint, and succeed
 * only after the commit.
 */
export class WriteQueue {
  private readonly waiting = new Set<Waiting>();
  private draining: Promise<void> | undefined;

  /** @param turnTimeoutMs maximum duration of a turn, in milliseconds */
  constructor(
    private readonly connection: SqliteConnection,
    private readonly file: FileIdentity,
    private readonly turnTimeoutMs: number,
  ) {}

  /**
   * Waits for a turn. The caller has to end it.
   * @throws (rejects) UnavailableError if it does not come in time
   */
  begin(transaction: Transaction, { lockWaitMs = LOCK_WAIT_MS, isAlone = false }: TurnOptions = {}): Promise<Turn> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(waiting);
        reject(unavailable(new Error(`The database was locked for ${lockWaitMs} ms.`)));
      }, lockWaitMs).unref();
      const begin = () => {
        clearTimeout(timer);
        const turn = new Turn(transaction, this.turnTimeoutMs);
        resolve(turn);
        return turn;
      };
      const waiting = { isAlone, begin, reject };
      this.waiting.add(waiting);
      // It outlives the work that starts it, and calls the callbacks of others.
      this.draining ??= outsideTransactions(() => this.drain());
    });
  }

  /** Waits until the queue is empty. */
  async idle(): Promise<void> {
    await this.draining;
  }

  private async drain(): Promise<void> {
    // On the next iteration of the event loop, all writes of this one have been queued.
    await nextTurn();
    while (this.waiting.size > 0) if (await this.lock()) await this.commit();
    this.draining = undefined;
  }

  /** Takes SQLite's write lock; waits for other processes without blocking the event loop. */
  private async lock(): Promise<boolean> {
    try {
      // A plain BEGIN would take the lock with the first write, which can then fail in the middle of a transaction.
      this.connection.exec('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      if (!isBusy(error)) for (const { reject } of this.waiting) reject(translate(error));
      if (!isBusy(error)) this.waiting.clear();
      await delay(LOCK_RETRY_MS);
      return false;
    }
  }

  private async commit(): Promise<void> {
    const kept: Turn[] = [];
    try {
      for (const next of this.batch()) {
        const turn = next.begin();
        kept.push(turn);
        if (!(await this.give(turn))) kept.pop();
      }
      this.file.check();
      this.connection.exec('COMMIT');
    } catch (error) {
      // SQLite rolls back by itself, for example on a full disk.
      if (this.connection.inTransaction) this.connection.exec('ROLLBACK');
      for (const turn of kept) turn.settle(translate(error));
      return;
    }
    for (const turn of kept) turn.settle();
  }

  private *batch(): Generator<Waiting> {
    for (let count = 0; count < BATCH_SIZE; count++) {
      const [next] = this.waiting;
      if (next === undefined || (next.isAlone === true && count > 0)) return;
      this.waiting.delete(next);
      yield next;
      if (next.isAlone === true) return;
    }
  }

  /** @returns whether to commit the changes of the turn */
  private async give(turn: Turn): Promise<boolean> {
    this.connection.exec('SAVEPOINT turn');
    const isCommitted = (await turn.ended()) === 'committed';
    // If the database itself failed, for example on a full disk, SQLite may have rolled back the whole transaction.
    const { databaseFailure } = turn.transaction;
    if (databaseFailure !== undefined) throw databaseFailure;
    if (!isCommitted) this.connection.exec('ROLLBACK TO turn');
    this.connection.exec('RELEASE turn');
    if (!isCommitted) turn.settle();
    return isCommitted;
  }
}
