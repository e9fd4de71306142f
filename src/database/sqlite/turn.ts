import { Logger } from '@nestjs/common';
import type { UnavailableError } from '../../errors/index.js';
import type { Transaction } from '../transaction.js';
import { unavailable } from '../unavailable.js';

/** The exclusive right to write, until it is ended or times out. */
export class Turn {
  private readonly end = Promise.withResolvers<boolean>();
  private readonly settled = Promise.withResolvers<void>();
  private readonly outcome: Promise<void>;
  private readonly timer: NodeJS.Timeout;
  private isKept = false;
  private givenUp: UnavailableError | undefined;

  constructor(
    readonly transaction: Transaction,
    timeoutMs: number,
  ) {
    this.timer = setTimeout(() => this.giveUp(timeoutMs), timeoutMs).unref();
    this.outcome = this.settled.promise.then(
      () => transaction.end(this.isKept ? 'kept' : 'undone'),
      async (error: unknown) => {
        await transaction.end('undone');
        throw error;
      },
    );
    // The owner of a turn that timed out may never ask for its outcome.
    this.outcome.catch(() => undefined);
  }

  /** Waits until its changes are durable. */
  commit(): Promise<void> {
    this.end.resolve(true);
    return this.outcome;
  }

  /** Waits until its changes are undone. */
  async rollback(): Promise<void> {
    this.end.resolve(false);
    await this.outcome.catch(() => undefined);
  }

  /** Waits for its end. @returns whether to keep its changes */
  async ended(): Promise<boolean> {
    this.isKept = await this.end.promise;
    clearTimeout(this.timer);
    await this.transaction.close();
    return this.isKept;
  }

  /** Call it when the database has committed or rolled back its changes. */
  settle(failure: unknown = this.givenUp): void {
    // A turn can fail before its owner ends it.
    void this.transaction.close();
    if (failure === undefined) this.settled.resolve();
    else this.settled.reject(failure);
  }

  private giveUp(timeoutMs: number): void {
    const reason = new Error(`A transaction was rolled back because it did not end within ${timeoutMs} ms.`);
    new Logger('Database').warn(reason.message);
    this.givenUp = unavailable(reason);
    void this.transaction.close(this.givenUp);
    this.end.resolve(false);
  }
}
