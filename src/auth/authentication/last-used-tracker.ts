import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RecurringTask } from '../../background/index.js';
import { chunksOf, Database } from '../../database/index.js';
import { ApiKey } from '../../api-keys/index.js';

/** How often last uses are written, in milliseconds. */
const WRITE_INTERVAL_MS = 5_000;
/** How exact they are, in milliseconds: all keys used in the same second take one statement. */
const PRECISION_MS = 1_000;

/** Remembers which keys were used and writes it down in batches: a write for each request would cost far too much. */
@Injectable()
export class LastUsedTracker implements OnModuleInit, OnApplicationShutdown {
  /** Unix time in milliseconds, by the id of the key. */
  private used = new Map<string, number>();
  private readonly task = new RecurringTask('writing the last use of keys', WRITE_INTERVAL_MS, () => this.flush());

  constructor(private readonly database: Database) {}

  /** Notes that a key is used at a time (Unix, milliseconds); called for each request. */
  touch(keyId: string, atMs: number): void {
    this.used.set(keyId, atMs);
  }

  /** Writes down what was noted since the last time; what can't be written is kept for the next. */
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
        // Another instance, or a clock that was set back, must not make it earlier.
        .andWhere('(last_used_at IS NULL OR last_used_at < :atMs)', { atMs })
        .execute();
    }
  }
}

function roundDown(timeMs: number): number {
  return timeMs - (timeMs % PRECISION_MS);
}
