import { LEASE_MS, type Subscriptions } from './subscriptions.js';

/** The lease of a subscription, which is renewed until it is released. */
export class HeldLease {
  private readonly renewal: NodeJS.Timeout;

  private constructor(
    private readonly subscriptions: Subscriptions,
    private readonly name: string,
    private readonly owner: string,
    private endMs: number,
  ) {
    this.renewal = setInterval(() => void this.renew(), LEASE_MS / 3).unref();
  }

  /** @returns undefined if another process has it */
  static async take(subscriptions: Subscriptions, name: string, owner: string): Promise<HeldLease | undefined> {
    const endMs = performance.now() + LEASE_MS;
    return (await subscriptions.lease(name, owner)) ? new HeldLease(subscriptions, name, owner, endMs) : undefined;
  }

  /** Also if the database does not respond, it ends for this process no later than for the others. */
  get isOurs(): boolean {
    return performance.now() < this.endMs;
  }

  async release(): Promise<void> {
    clearInterval(this.renewal);
    if (this.isOurs) await this.subscriptions.lease(this.name, this.owner, 0);
  }

  private async renew(): Promise<void> {
    const endMs = performance.now() + LEASE_MS;
    const isOurs = await this.subscriptions.lease(this.name, this.owner).catch(() => undefined);
    if (isOurs !== undefined) this.endMs = isOurs ? endMs : 0;
  }
}
