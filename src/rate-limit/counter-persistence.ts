import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../config/index.js';
import { Database } from '../database/index.js';
import { restoreCounters } from './counter-restore.js';
import { BAN_ROWS, SUBJECTS, usageRows } from './counter-rows.js';
import { JournalWriter } from './journal-writer.js';
import { MemoryCounterStore } from './memory-counter-store.js';

/** From one writing to the next, in milliseconds; a crash loses the counting of this time and of one writing. */
const FLUSH_INTERVAL_MS = 1_000;

/** Lets windows and bans survive a restart: reads them at the start, and writes what changed every second. */
@Injectable()
export class CounterPersistence implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('RateLimit');
  private readonly writers: readonly { write(database: Database): Promise<void> }[];
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private failing = false;

  constructor(
    private readonly database: Database,
    private readonly store: MemoryCounterStore,
    private readonly clock: Clock,
  ) {
    const { accounts, addresses } = store;
    this.writers = [
      new JournalWriter(store.accountsJournal, usageRows(SUBJECTS.accounts)),
      new JournalWriter(store.addressesJournal, usageRows(SUBJECTS.addresses)),
      new JournalWriter(accounts.overflow.journal, usageRows(SUBJECTS.accountsOverflow)),
      new JournalWriter(addresses.overflow.journal, usageRows(SUBJECTS.addressesOverflow)),
      new JournalWriter(store.bansJournal, BAN_ROWS),
    ];
  }

  async onModuleInit(): Promise<void> {
    await restoreCounters(this.database, this.store, this.clock.nowSeconds());
    this.timer = setInterval(() => this.tick(), FLUSH_INTERVAL_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  /** Writes all that was counted before the call. Never rejects: what could not be written is tried again. */
  async flush(): Promise<void> {
    while (this.running !== undefined) await this.running;
    this.running = this.write().finally(() => {
      this.running = undefined;
    });
    await this.running;
  }

  private tick(): void {
    this.store.sweep();
    if (this.running === undefined) void this.flush();
  }

  private async write(): Promise<void> {
    // Side by side, so that their batches share a transaction.
    const results = await Promise.allSettled(this.writers.map((writer) => writer.write(this.database)));
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined && !this.failing) {
      this.logger.error({ message: 'counters could not be written, trying on', error: String(failure.reason) });
    }
    if (failure === undefined && this.failing) this.logger.log({ message: 'counters are written again' });
    this.failing = failure !== undefined;
  }
}
