import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan, Or } from 'typeorm';
import { RecurringTask } from '../../platform/index.js';
import { Database, onCommit, throwErrors, writeInChunks } from '../../database/index.js';
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
      await this.writeUses(used);
    } finally {
      this.used = new Map([...used, ...this.used]);
    }
  }

  override onApplicationShutdown(): Promise<void> {
    return this.stopAfterLastRun();
  }

  /** Removes what it has written. */
  private async writeUses(used: Map<string, number>): Promise<void> {
    const byTime = Map.groupBy(used, ([, atMs]) => atMs - (atMs % PRECISION_MS));
    const errors: unknown[] = [];
    for (const [lastUsedAt, uses] of byTime) {
      // Never earlier: another instance may have written a later use, or the clock may have been set back.
      const isEarlier = Or(IsNull(), LessThan(lastUsedAt));
      const keyIds = uses.map(([keyId]) => keyId);
      const failed = await writeInChunks(this.database, 'api_keys', keyIds, async (manager, chunk) => {
        await manager.update(ApiKey, { id: In(chunk), lastUsedAt: isEarlier }, { lastUsedAt });
        onCommit(() => chunk.forEach((keyId) => used.delete(keyId)));
      });
      errors.push(...failed.values());
    }
    throwErrors(errors);
  }
}
