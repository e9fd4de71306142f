import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RecurringTask } from '../../background/index.js';
import { chunksOf, Database } from '../../database/index.js';
import { ApiKey } from '../../api-keys/index.js';

/** Interval between writes, in milliseconds. */
const WRITE_INTERVAL_MS = 5_000;
/** Precision of the times, in milliseconds. One statement writes all keys that were used in the same second. */
const PRECISION_MS = 1_000;

/** Records the last use of keys, and writes it in batches, because a write per request would cost too much. */
@Injectable()
export class LastUsedTracker implements OnModuleInit, OnApplicationShutdown {
  /** Unix time in milliseconds, by the id of the key. */
  private used = new Map<string, number>();
  private readonly task = new RecurringTask('writing the last use of keys', WRITE_INTERVAL_MS, () => this.flush());

  constructor(private readonly database: Database) {}

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
      await this.database.write((manager) => writeUses(manager, used), { lockWaitMs: 1_000 });
    } catch (error) {
      this.used = new Map([...used, ...this.used]);
      throw error;
    }
  }

  onModuleInit(): void {
    this.task.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.task.stop();
    await this.task.run();
  }
}

async function writeUses(manager: EntityManager, used: ReadonlyMap<string, number>): Promise<void> {
  const byTime = Map.groupBy(used.keys(), (keyId) => roundDown(used.get(keyId) ?? 0));
  for (const [atMs, keyIds] of byTime) {
    for (const chunk of chunksOf(keyIds)) {
      await manager
        .createQueryBuilder()
        .update(ApiKey)
        .set({ lastUsedAt: atMs })
        .where('id IN (:...keyIds)', { keyIds: chunk })
        // Never earlier: another instance may have written a later use, or the clock may have been set back.
        .andWhere('(last_used_at IS NULL OR last_used_at < :atMs)', { atMs })
        .execute();
    }
  }
}

function roundDown(timeMs: number): number {
  return timeMs - (timeMs % PRECISION_MS);
}
