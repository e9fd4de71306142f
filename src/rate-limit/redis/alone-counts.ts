import { randomUUID } from 'node:crypto';
import type { RedisClient } from '../../redis/index.js';
import type { BoundedTable } from '../memory/bounded-table.js';
import type { MemoryCounterStore } from '../memory/memory-counter-store.js';
import type { Usage } from '../windows/usage.js';
import { ADD_ALONE } from './admission-scripts.js';

/** Most subjects of a kind that one step adds: some 100 ms. */
const MOST_PER_STEP = 5_000;
/** Subjects whose counts go out together. */
const BATCH_SIZE = 200;

/**
 * Adds to the windows in Redis what this instance admitted alone while Redis was away. Counts stay where they are, and
 * Redis remembers what it was told of them: to be told again, after a reply that was lost, changes nothing.
 */
export class AloneCounts {
  /** Another one for each start, since the counts begin anew as well. */
  private readonly instance = randomUUID();

  constructor(
    private readonly redis: RedisClient,
    private readonly counted: MemoryCounterStore,
    private readonly now: () => number | '',
  ) {}

  /**
   * Adds what has changed; what exceeds one step is left to the next.
   * @throws (rejects) Error when Redis fails; what may not have been added is tried again by the next step
   */
  async add(): Promise<void> {
    await this.addFrom(this.counted.accounts, 'account');
    await this.addFrom(this.counted.addresses, 'address');
  }

  private async addFrom(table: BoundedTable<Usage>, kind: 'account' | 'address'): Promise<void> {
    const left = [...table.takeChanges()];
    try {
      // The first one alone: a Redis that was restarted does not know the script, and gets it once.
      for (let size = 1, added = 0; left.length > 0 && added < MOST_PER_STEP; added += size, size = BATCH_SIZE) {
        await Promise.all(left.slice(0, size).map(([, usage]) => usage && this.addOne(usage, kind)));
        left.splice(0, size);
      }
    } finally {
      table.putBack(left);
    }
  }

  private addOne({ key, minute, day }: Usage, kind: 'account' | 'address'): Promise<unknown> {
    return this.redis.run(
      ADD_ALONE,
      [`${this.redis.prefix}{${kind}:${key}}:usage`],
      [this.now(), 0, 0, this.instance, minute.startSeconds, minute.used, day.startSeconds, day.used],
    );
  }
}
