import type { Env } from '../../platform/index.js';
import { currentAccountId } from '../events/actor.js';
import { Turns } from '../turns.js';

/** Maximum number of transactions of an account at a time: one has a lock, and another waits for it. */
const MOST_OF_ACCOUNT = 2;

/**
 * Which transactions begin: those of an account take at most two connections, and all together half of them. The others wait
 * in the process, so that transactions that wait for locks leave connections to other requests.
 */
export class TransactionTurns {
  private readonly all: Turns;
  private readonly byAccount = new Map<number, Turns>();

  constructor(private readonly env: Pick<Env, 'DATABASE_POOL_SIZE' | 'DATABASE_TIMEOUT_MS'>) {
    this.all = new Turns(Math.ceil(env.DATABASE_POOL_SIZE / 2));
  }

  get waiting(): number {
    return [...this.byAccount.values()].reduce((sum, { waiting }) => sum + waiting, this.all.waiting);
  }

  /**
   * Waits for the turn of a transaction of the current account.
   * @returns a function that ends the turn
   * @throws (rejects) DomainError `service_unavailable` if it does not come in time
   */
  async take(): Promise<() => void> {
    const deadlineMs = performance.now() + this.env.DATABASE_TIMEOUT_MS;
    const giveAccount = await this.takeOfAccount(currentAccountId());
    try {
      await this.all.take(deadlineMs - performance.now());
    } catch (error) {
      giveAccount();
      throw error;
    }
    return () => {
      this.all.give();
      giveAccount();
    };
  }

  private async takeOfAccount(accountId: number | undefined): Promise<() => void> {
    if (accountId === undefined) return () => undefined;
    const turns = this.byAccount.get(accountId) ?? new Turns(MOST_OF_ACCOUNT);
    this.byAccount.set(accountId, turns);
    await turns.take(this.env.DATABASE_TIMEOUT_MS);
    return () => {
      turns.give();
      if (turns.taken === 0) this.byAccount.delete(accountId);
    };
  }
}
