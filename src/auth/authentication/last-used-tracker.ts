import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan, Or } from 'typeorm';
import { RecurringTask } from '../../platform/recurring-task.js';
import { Database } from '../../database/database.js';
import { onCommit } from '../../database/transaction.js';
import { throwErrors, writeInChunks } from '../../database/chunks.js';
import { ApiKey } from '../keys/api-key.entity.js';

const WRITE_INTERVAL_MS = 5_000;
/** One statement writes all keys that were used in the same second. */
const PRECISION_MS = 1_000;

/** Records the last use of keys, and writes it in batches, because a write per request would cost too much. */
@Injectable()
export class LastUsedTracker extends RecurringTask {
  /** Unix time in milliseconds, by the id of the key. */
  private used = new Map<string, number>();

  constructor(private readonly database: Database) {
    super('writing the last use of keys', WRITE_INTERVAL_MS, () => this.flush(), { runsAtStop: true });
  }

  /** Called for each request. */
  touch(keyId: string, atMs: number): void {
    this.used.set(keyId, atMs);
  }

  /** Writes the uses since the last flush. If it fails, the next flush writes them. */
  async flush(): Promise<void> {
    const { used } = this;
    this.used = new Map();
    const errors = await writeInChunks(this.database, 'api_keys', [...used], async (manager, chunk) => {
      for (const [lastUsedAt, uses] of Map.groupBy(chunk, ([, atMs]) => atMs - (atMs % PRECISION_MS))) {
        // Never earlier: another instance may have written a later use, or the clock may have been set back.
        const isEarlier = Or(IsNull(), LessThan(lastUsedAt));
        await manager.update(ApiKey, { id: In(uses.map(([keyId]) => keyId)), lastUsedAt: isEarlier }, { lastUsedAt });
      }
      onCommit(() => chunk.forEach(([keyId]) => used.delete(keyId)));
    }).finally(() => (this.used = new Map([...used, ...this.used])));
    throwErrors([...errors.values()]);
  }
}
