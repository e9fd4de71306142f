import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { WriteOptions } from './database.js';
import type { Runner } from './runner.js';
import { isBusy, isUnavailable, translate } from './unavailable.js';
import type { Work } from './within-write.js';

/** How long a write waits for the lock of another process before it fails, in milliseconds. */
const LOCK_WAIT_MS = 10_000;
/** Pause between two attempts at the lock, in milliseconds. */
const LOCK_RETRY_MS = 5;
/** Most jobs that share one transaction; bounds how long its statements hold the event loop. */
const BATCH_SIZE = 64;

interface Job {
  readonly work: Work<unknown>;
  /** On the clock of `performance.now()`. */
  readonly deadlineMs: number;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Lets one transaction at a time onto the connection that writes.
 *
 * SQLite has one writer, and TypeORM one query runner for it: a statement issued while somebody else's transaction is
 * open would join that transaction and share its fate. Jobs that wait together share one transaction and one fsync
 * (group commit), each behind a savepoint of its own, and none hears of its success before the commit.
 */
export class WriteQueue {
  private waiting: Job[] = [];
  private draining: Promise<void> | undefined;

  /** @param check throws when nothing must be committed at the moment */
  constructor(
    private readonly runner: Runner,
    private readonly check: () => void = () => undefined,
  ) {}

  /** Runs `work` in a transaction: durable once the promise is fulfilled, without a trace when it is rejected. */
  run<T>(work: Work<T>, { lockWaitMs = LOCK_WAIT_MS }: WriteOptions = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ work, deadlineMs: performance.now() + lockWaitMs, resolve, reject });
      this.draining ??= this.drain();
    });
  }

  /** Fulfilled when no write waits any more. */
  async idle(): Promise<void> {
    await this.draining;
  }

  private async drain(): Promise<void> {
    // By the next turn of the event loop all jobs of this one have come in.
    await nextTurn();
    while (this.waiting.length > 0) if (await this.begin()) await this.commit(this.waiting.splice(0, BATCH_SIZE));
    this.draining = undefined;
  }

  /**
   * Begins with the write lock held. Another process that has it is waited for without holding up the event loop;
   * `false` when that failed and nothing waits any more.
   */
  private async begin(): Promise<boolean> {
    while (this.waiting.length > 0) {
      try {
        // TypeORM's own begin leaves the lock to the first write, which may then fail half-way through a job.
        await this.runner.query('BEGIN IMMEDIATE');
        // Tells TypeORM to begin none in what jobs call.
        this.runner.isTransactionActive = true;
        return true;
      } catch (error) {
        const dueMs = isBusy(error) ? performance.now() : Infinity;
        const failed = this.waiting.filter(({ deadlineMs }) => deadlineMs <= dueMs);
        this.waiting = this.waiting.filter(({ deadlineMs }) => deadlineMs > dueMs);
        for (const job of failed) job.reject(translate(error));
        await delay(LOCK_RETRY_MS);
      }
    }
    return false;
  }

  private async commit(batch: readonly Job[]): Promise<void> {
    const settlements: (() => void)[] = [];
    try {
      for (const job of batch) settlements.push(await (batch.length === 1 ? this.doAlone(job) : this.attempt(job)));
      this.check();
      await this.runner.query('COMMIT');
    } catch (error) {
      for (const job of batch) job.reject(translate(error));
      // Fails where SQLite has rolled back by itself, as it does when the disk is full.
      await this.runner.query('ROLLBACK').catch(() => undefined);
      return;
    } finally {
      this.runner.isTransactionActive = false;
    }
    for (const settle of settlements) settle();
  }

  /** What fails alone takes nothing with it: the whole transaction is undone. */
  private async doAlone({ work, resolve }: Job): Promise<() => void> {
    const result = await work(this.runner.manager);
    return () => resolve(result as never);
  }

  private async attempt({ work, resolve, reject }: Job): Promise<() => void> {
    await this.runner.query('SAVEPOINT job');
    try {
      const result = await work(this.runner.manager);
      await this.runner.query('RELEASE job');
      return () => resolve(result as never);
    } catch (error) {
      // Where the database itself fails, as on a full disk, SQLite may have undone the transaction as a whole.
      if (isUnavailable(error)) throw error;
      await this.runner.query('ROLLBACK TO job');
      return () => reject(error);
    }
  }
}
