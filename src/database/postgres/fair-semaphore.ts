import { unavailable } from '../unavailable.js';

interface Waiting {
  readonly sinceMs: number;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/**
 * A semaphore that grants turns in order. Waiting requests time out only if no other completes: many requests at once do
 * not mean that the database is unavailable, but no progress does.
 */
export class FairSemaphore {
  private free: number;
  private readonly queue: Waiting[] = [];
  private lastProgressMs = -Infinity;
  private isWatched = false;

  /**
   * @param size number of concurrent turns
   * @param patienceMs how long the first in the queue waits while none completes
   */
  constructor(
    size: number,
    private readonly patienceMs: number,
  ) {
    this.free = size;
  }

  /** @throws (rejects) UnavailableError if none completed for too long */
  acquire(): Promise<void> {
    if (this.free > 0) {
      this.free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      this.queue.push({ sinceMs: performance.now(), resolve, reject });
      if (!this.isWatched) this.watch(this.patienceMs);
    });
  }

  /** Releases a turn. @param gotThrough whether the database responded in it */
  release(gotThrough: boolean): void {
    if (gotThrough) this.lastProgressMs = performance.now();
    const next = this.queue.shift();
    if (next === undefined) this.free += 1;
    else next.resolve();
  }

  private watch(delayMs: number): void {
    this.isWatched = true;
    afterTimeout(delayMs, () => this.look());
  }

  private look(): void {
    const nowMs = performance.now();
    const since = (waiting: Waiting) => Math.max(waiting.sinceMs, this.lastProgressMs);
    while (this.queue[0] !== undefined && nowMs - since(this.queue[0]) >= this.patienceMs) {
      this.queue.shift()?.reject(unavailable(new Error(`No query completed within ${this.patienceMs} ms.`)));
    }
    const [first] = this.queue;
    this.isWatched = false;
    if (first !== undefined) this.watch(this.patienceMs - (nowMs - since(first)));
  }
}

/**
 * Calls `act` after a timeout. If the event loop was late, data may wait on the sockets; it is read between the timer and
 * `act`, which can then still be cancelled.
 * @returns a function that cancels it
 */
export function afterTimeout(timeoutMs: number, act: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => (immediate = setImmediate(act)), timeoutMs).unref();
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
