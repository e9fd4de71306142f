import { unavailable } from './unavailable.js';

/** Lets a number of callers continue at a time, in the order in which they came. */
export class Turns {
  taken = 0;
  private readonly queue = new Set<() => void>();

  constructor(private readonly most = 1) {}

  get waiting(): number {
    return this.queue.size;
  }

  /**
   * Waits for a turn, which ends with `give`.
   * @throws (rejects) DomainError `service_unavailable` if it does not come in time
   */
  async take(timeoutMs: number): Promise<void> {
    if (this.taken < this.most) {
      this.taken += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.queue.delete(resolve);
      reject(unavailable(new Error(`Other transactions took longer than ${timeoutMs} ms.`)));
    }, timeoutMs);
    this.queue.add(resolve);
    await promise.finally(() => clearTimeout(timer));
  }

  give(): void {
    const [next] = this.queue;
    if (next === undefined) {
      this.taken -= 1;
      return;
    }
    this.queue.delete(next);
    next();
  }
}
