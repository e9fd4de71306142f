import { Logger } from '@nestjs/common';
import type { UnavailableError } from '../../errors/index.js';
import type { Outcome, Transaction } from '../transaction.js';
import { unavailable } from '../unavailable.js';

/** The exclusive right to write, until it is ended or times out. */
export class Turn {
  private readonly asked = Promise.withResolvers<Outcome>();
  private readonly settled = Promise.withResolvers<void>();
  private readonly timer: NodeJS.Timeout;
  private outcome: Outcome = 'rolled back';
  private givenUp: UnavailableError | undefined;

  constructor(
    readonly transaction: Transaction,
    timeoutMs: number,
  ) {
    this.timer = setTimeout(() => this.giveUp(timeoutMs), timeoutMs).unref();
    // The owner of a turn that timed out may never ask for its outcome.
    this.settled.promise.catch(() => undefined);
  }

  /** Waits until its changes are durable, or undone. */
  async end(outcome: Outcome): Promise<void> {
    this.asked.resolve(outcome);
    await (outcome === 'committed' ? this.settled.promise : this.settled.promise.catch(() => undefined));
  }

  /** Waits for its end. @returns what its owner asked for */
  async ended(): Promise<Outcome> {
    this.outcome = await this.asked.promise;
    clearTimeout(this.timer);
    await this.transaction.close();
    return this.outcome;
  }

  /** Call it when the database has committed or rolled back its changes. */
  settle(failure: unknown = this.givenUp): void {
    const { resolve, reject } = this.settled;
    if (failure === undefined) void this.transaction.end(this.outcome).then(resolve);
    else void this.transaction.end('rolled back').then(() => reject(failure));
  }

  private giveUp(timeoutMs: number): void {
    const reason = new Error(`A transaction was rolled back because it did not end within ${timeoutMs} ms.`);
    new Logger('Database').warn(reason.message);
    this.givenUp = unavailable(reason);
    void this.transaction.close(this.givenUp);
    this.asked.resolve('rolled back');
  }
}
