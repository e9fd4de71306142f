import { Injectable } from '@nestjs/common';
import { RecurringTask } from '../../background/index.js';
import { Clock } from '../../config/index.js';
import { Database } from '../../database/index.js';
import { MemoryCounterStore } from '../memory/memory-counter-store.js';
import { persistedTables } from './counter-rows.js';

/** Interval between writes, in milliseconds. A crash loses the counts of this time and of one write. */
const FLUSH_INTERVAL_MS = 1_000;

/** Keeps windows and bans over a restart: reads them at the start, and writes changes every second. */
@Injectable()
export class CounterPersistence extends RecurringTask {
  constructor(
    private readonly database: Database,
    private readonly store: MemoryCounterStore,
    private readonly clock: Clock,
  ) {
    super('writing the counters', FLUSH_INTERVAL_MS, () => this.write());
  }

  override async onModuleInit(): Promise<void> {
    const nowSeconds = this.clock.nowSeconds();
    for (const table of persistedTables(this.store)) await table.restore(this.database, nowSeconds);
    super.onModuleInit();
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    await this.run();
  }

  private async write(): Promise<void> {
    this.store.sweep();
    for (const table of persistedTables(this.store)) await table.writeChanges(this.database);
  }
}
