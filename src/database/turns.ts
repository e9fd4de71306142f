import { unavailable } from './unavailable.js';

/** Lets a number of callers continue at a time, and fewer of one account. The others wait, in the order in which they came. */
export class Turns {
  private readonly taken: (number | undefined)[] = [];
  private readonly queue = new Set<{ readonly account: number | undefined; readonly begin: () => void }>();

  constructor(
    private readonly most: number,
    private readonly mostOfAccount: number,
  ) {}

  get use(): { readonly used: number; readonly waiting: number } {
    return { used: this.taken.length, waiting: this.queue.size };
  }

  /** Waits for a turn, which ends with `give`. Rejects with `service_unavailable` if it does not come in time. */
  async take(timeoutMs: number, account?: number): Promise<void> {
    const { promise, resolve: begin, reject } = Promise.withResolvers<void>();
    const waiting = { account, begin };
    this.queue.add(waiting);
    this.next();
    const timer = setTimeout(() => {
      if (this.queue.delete(waiting)) reject(unavailable(new Error(`Others took longer than ${timeoutMs} ms.`)));
    }, timeoutMs);
    await promise.finally(() => clearTimeout(timer));
  }

  give(account?: number): void {
    this.taken.splice(this.taken.indexOf(account), 1);
    this.next();
  }

  private next(): void {
    for (const waiting of this.queue) {
      if (this.taken.length >= this.most) return;
      const ofAccount = this.taken.filter((account) => account === waiting.account);
      if (waiting.account !== undefined && ofAccount.length >= this.mostOfAccount) continue;
      this.queue.delete(waiting);
      this.taken.push(waiting.account);
      waiting.begin();
    }
  }
}
