import { randomUUID } from 'node:crypto';
import type { RedisClient } from '../../redis/index.js';
import type { BoundedTable } from '../memory/bounded-table.js';
import type { MemoryCounterStore } from '../memory/memory-counter-store.js';
import type { Usage } from '../windows/usage.js';
import { ADD_ALONE } from './admission-scripts.js';
import { accountKey, addressKey, type CounterKey } from './counter-keys.js';

/** Maximum number of subjects of a kind that one step adds, which takes about 100 ms. */
const MOST_PER_STEP = 5_000;
/** Number of subjects whose counts are sent together. */
const BATCH_SIZE = 200;

/**
 * Adds the requests that this instance admitted while Redis was unavailable to the windows in Redis. The local counts are
 * kept, and Redis stores what was added, so repeating a message after a lost reply changes nothing.
 */
export class LocalCounts {
  /** New for each start, because the local counts start at zero too. */
  private readonly instance = randomUUID();

  constructor(
    private readonly redis: RedisClient,
    private readonly counted: MemoryCounterStore,
    private readonly now: () => number | '',
  ) {}

  /**
   * Adds changed counts, as many as fit into one step, and drops changes of what is not added.
   * @throws (rejects) Error if Redis fails; the next step repeats counts that may not have been added
   */
  async add(): Promise<void> {
    const { accounts, addresses, keys, bans } = this.counted;
    // Nobody else takes these changes, so they would be kept after their entries have ended.
    for (const table of [keys, bans, accounts.overflow, addresses.overflow]) table.takeChanges();
    await this.addFrom(accounts, accountKey);
    await this.addFrom(addresses, addressKey);
  }

  private async addFrom(table: BoundedTable<Usage>, keyOf: CounterKey): Promise<void> {
    const left = [...table.takeChanges()];
    try {
      // The first message is sent alone: a restarted Redis does not have the script, and gets it once.
      for (let size = 1, added = 0; left.length > 0 && added < MOST_PER_STEP; added += size, size = BATCH_SIZE) {
        await Promise.all(left.slice(0, size).map(([, usage]) => usage && this.addOne(usage, keyOf)));
        left.splice(0, size);
      }
    } finally {
      table.putBack(left);
    }
  }

  private addOne({ key, minute, day }: Usage, keyOf: CounterKey): Promise<unknown> {
    return this.redis.run(
      ADD_ALONE,
      [keyOf(this.redis.prefix, key)],
      [this.now(), 0, 0, this.instance, minute.startSeconds, minute.used, day.startSeconds, day.used],
    );
  }
}
