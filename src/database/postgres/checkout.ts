import { Logger } from '@nestjs/common';
import { QueryRunnerAlreadyReleasedError } from 'typeorm';
import { UnavailableError } from '../../errors/index.js';
import { isPostgresAway, unavailable } from '../unavailable.js';
import { afterTimeout, type FairSemaphore } from './fair-semaphore.js';
import type { PostgresClient } from './postgres-client.js';

/** How long a connection can be used. */
export interface Lease {
  readonly timeoutMs: number;
  /** Whether each statement outside a transaction restarts the time. */
  readonly isRenewed: boolean;
}

/**
 * A connection that is checked out of the pool. It is closed if it does not respond in time, because the response may
 * still come; if it is never released; and if it is released within a transaction.
 */
export class Checkout {
  private connecting: Promise<PostgresClient> | undefined;
  private client: PostgresClient | undefined;
  private readonly underWay = new Set<Promise<unknown>>();
  private cancelTimeout = (): void => undefined;
  private onTimeout = async (_reason: UnavailableError): Promise<void> => undefined;
  private hasTurn = false;
  private isAnswered = false;
  private givenUp: UnavailableError | undefined;
  private releasing: Promise<void> | undefined;

  constructor(
    private readonly connections: FairSemaphore,
    private readonly lease: Lease,
  ) {}

  /**
   * Waits for its turn and for the connection.
   * @param open checks out a connection of the pool
   * @param onTimeout releases it
   */
  connect(
    open: () => Promise<PostgresClient>,
    onTimeout: (reason: UnavailableError) => Promise<void>,
  ): Promise<PostgresClient> {
    this.connecting ??= this.take(open, onTimeout);
    return this.connecting;
  }

  /** @throws (rejects) UnavailableError if the database did not respond; the connection is then closed */
  async send<T>(statement: () => Promise<T>): Promise<T> {
    if (this.releasing !== undefined) throw this.givenUp ?? new QueryRunnerAlreadyReleasedError();
    this.renew();
    const sent = statement();
    this.underWay.add(sent);
    try {
      const response = await sent;
      this.isAnswered = true;
      return response;
    } catch (error) {
      if (error instanceof UnavailableError) throw error;
      this.isAnswered = !isPostgresAway(error);
      if (this.isAnswered) throw error;
      this.client?.destroy();
      throw this.givenUp ?? unavailable(error);
    } finally {
      this.underWay.delete(sent);
    }
  }

  /** @param giveBack returns the connection to the pool */
  release(giveBack: () => Promise<void>): Promise<void> {
    this.releasing ??= this.end(giveBack);
    return this.releasing;
  }

  private async take(
    open: () => Promise<PostgresClient>,
    onTimeout: (reason: UnavailableError) => Promise<void>,
  ): Promise<PostgresClient> {
    await this.connections.acquire();
    this.hasTurn = true;
    this.onTimeout = onTimeout;
    this.startTimeout();
    try {
      this.client = await open();
      return this.client;
    } catch (error) {
      throw unavailable(error);
    }
  }

  private renew(): void {
    if (this.lease.isRenewed && this.client?.getTransactionStatus() === 'I') this.startTimeout();
  }

  private startTimeout(): void {
    this.cancelTimeout();
    this.cancelTimeout = afterTimeout(this.lease.timeoutMs, () => this.giveUp());
  }

  private giveUp(): void {
    const reason = new Error(`A connection was closed because it was not released within ${this.lease.timeoutMs} ms.`);
    if (this.lease.isRenewed) new Logger('Database').warn(reason.message);
    this.givenUp = unavailable(reason);
    this.client?.destroy();
    this.onTimeout(this.givenUp).catch(() => undefined);
  }

  private async end(giveBack: () => Promise<void>): Promise<void> {
    this.cancelTimeout();
    try {
      // A connection that is still being opened would never be returned.
      await this.connecting?.catch(() => undefined);
      await Promise.allSettled(this.underWay);
      // Its next user would join the transaction.
      if (this.client?.getTransactionStatus() !== 'I') this.client?.destroy();
      await giveBack();
    } finally {
      if (this.hasTurn) this.connections.release(this.isAnswered);
    }
  }
}
