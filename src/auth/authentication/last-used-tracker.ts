import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan, Or } from 'typeorm';
import { RecurringTask } from '../../platform/index.js';
import { chunksOf, Database, lockUntilCommit } from '../../database/index.js';
import { ApiKey } from '../../accounts/index.js';

/** Interval between writes, in milliseconds. */
const WRITE_INTERVAL_MS = 5_000;
/** Precision of the times, in milliseconds. One statement writes all keys that were used in the same second. */
const PRECISION_MS = 1_000;

/** Records the last use of keys, and writes it in batches, because a write per request would cost too much. */
@Injectable()
export class LastUsedTracker extends RecurringTask {
  /** Unix time in milliseconds, by the id of the key. */
  private used = new Map<string, number>();

  constructor(private readonly database: Database) {
    super('writing the last use of keys', WRITE_INTERVAL_MS, () => this.flush());
  }

  /** Records a use of a key, in Unix time in milliseconds. Called for each request. */
  touch(keyId: string, atMs: number): void {
    this.used.set(keyId, atMs);
  }

  /** Writes the uses since the last flush. If it fails, the next flush writes them. */
  async flush(): Promise<void> {
    if (this.used.size === 0) return;
    const used = this.used;
    this.used = new Map();
    try {
      await writeUses(this.database, used);
    } catch (error) {
      this.used = new Map([...used, ...this.used]);
      throw error;
    }
  }

  override async onApplicationShutdown(): Promise<void> {
    await this.stop();
    await this.tryRun();
  }
}

async function writeUses(database: Database, used: ReadonlyMap<string, number>): Promise<void> {
  const byTime = Map.groupBy(used, ([, atMs]) => atMs - (atMs % PRECISION_MS));
  for (const [lastUsedAt, uses] of byTime) {
    // Never earlier: another instance may have written a later use, or the clock may have been set back.
    const isEarlier = Or(IsNull(), LessThan(lastUsedAt));
    for (const chunk of chunksOf(uses.map(([keyId]) => keyId)))
      await database.write(async (manager) => {
        // Instances that update the same keys in different orders would wait for each other.
        await lockUntilCommit(manager, 'last uses of keys');
        await manager.update(ApiKey, { id: In(chunk), lastUsedAt: isEarlier }, { lastUsedAt });
      });
  }
}
