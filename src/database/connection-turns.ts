import { unavailable } from './unavailable.js';

/** Waits for its turn. */
interface Waiting {
  readonly sinceMs: number;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/**
 * Gives out a limited number of turns, in the order in which they were asked for. Who waits is patient as long as others
 * get through: many who ask at once are no sign that the database is away, but nobody getting anywhere is.
 */
export class ConnectionTurns {
  private free: number;
  private readonly queue: Waiting[] = [];
  private lastProgressMs = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param size turns at the same time
   * @param patienceMs how long the first in the queue waits without anybody getting through
   */
  constructor(
    size: number,
    private readonly patienceMs: number,
  ) {
    this.free = size;
  }

  /** @throws (rejects) ApiError `service_unavailable` when nobody got through for too long */
  take(): Promise<void> {
    if (this.free > 0) {
      this.free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      this.queue.push({ sinceMs: performance.now(), resolve, reject });
      this.timer ??= this.watch(this.patienceMs);
    });
  }

  /** Ends a turn. @param gotThrough whether the database answered in it */
  giveBack(gotThrough: boolean): void {
    if (gotThrough) this.lastProgressMs = performance.now();
    const next = this.queue.shift();
    if (next === undefined) this.free += 1;
    else next.resolve();
  }

  private watch(delayMs: number): NodeJS.Timeout {
    // The loop may have been late: answers that wait on the sockets are read between timers and this.
    return setTimeout(() => setImmediate(() => this.look()), delayMs).unref();
  }

  private look(): void {
    const nowMs = performance.now();
    const since = (waiting: Waiting) => Math.max(waiting.sinceMs, this.lastProgressMs);
    while (this.queue[0] !== undefined && nowMs - since(this.queue[0]) >= this.patienceMs) {
      this.queue.shift()?.reject(unavailable(new Error(`Nobody got through for ${this.patienceMs} ms.`)));
    }
    const [first] = this.queue;
    this.timer = first === undefined ? undefined : this.watch(this.patienceMs - (nowMs - since(first)));
  }
}
