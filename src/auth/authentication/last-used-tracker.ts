import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan, Or } from 'typeorm';
import { Database } from '../../database/database.js';
import { WriteBehind } from '../../database/write-behind.js';
import { RecurringTask } from '../../platform/recurring-task.js';
import { ApiKey } from '../keys/api-key.entity.js';

const WRITE_INTERVAL_MS = 5_000;
/** One statement writes all keys that were used in the same second. */
const PRECISION_MS = 1_000;

@Injectable()
export class LastUsedTracker extends RecurringTask {
  /** Unix time in milliseconds, by the id of the key. Each request adds one. */
  readonly uses = new WriteBehind<string, number>('api_keys');

  constructor(private readonly database: Database) {
    super('writing the last use of keys', WRITE_INTERVAL_MS, () => this.flush(), { runsAtStop: true });
  }

  async flush(): Promise<void> {
    await this.uses.write(this.database, async (manager, chunk) => {
      for (const [lastUsedAt, uses] of Map.groupBy(chunk, ([, atMs]) => atMs - (atMs % PRECISION_MS))) {
        // Never earlier: another instance may have written a later use, or the clock may have been set back.
        const isEarlier = Or(IsNull(), LessThan(lastUsedAt));
        await manager.update(ApiKey, { id: In(uses.map(([keyId]) => keyId)), lastUsedAt: isEarlier }, { lastUsedAt });
      }
    });
  }
}
