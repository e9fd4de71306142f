import { unavailable } from '../unavailable.js';

/** Mutual exclusion, in the order of arrival. */
export class Mutex {
  private isLocked = false;
  private readonly waiting = new Set<() => void>();

  /** @throws (rejects) DomainError `service_unavailable` if it is not free in time */
  async lock(timeoutMs: number): Promise<void> {
    if (!this.isLocked) {
      this.isLocked = true;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.waiting.delete(resolve);
      reject(unavailable(new Error(`Other writes took longer than ${timeoutMs} ms.`)));
    }, timeoutMs);
    this.waiting.add(resolve);
    await promise.finally(() => clearTimeout(timer));
  }

  unlock(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.isLocked = false;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
