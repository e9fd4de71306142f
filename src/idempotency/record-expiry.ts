import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { RecurringTask } from '../background/index.js';
import { Clock } from '../config/index.js';
import { Database } from '../database/index.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Interval between sweeps, in milliseconds. Expired records are ignored; this frees their space. */
const INTERVAL_MS = 60_000;
/** Maximum number of records that one transaction deletes, so that other writes do not wait long. */
const BATCH_SIZE = 200;

/** Deletes expired idempotency records. */
@Injectable()
export class RecordExpiry implements OnModuleInit, OnModuleDestroy {
  private readonly task = new RecurringTask('deleting expired idempotency records', INTERVAL_MS, () => this.sweep());

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly records: IdempotencyRepository,
  ) {}

  /** Deletes all expired records. */
  async sweep(): Promise<void> {
    const nowMs = this.clock.nowMs();
    let deleted: number;
    do {
      deleted = await this.database.write((manager) => this.records.deleteExpired(manager, nowMs, BATCH_SIZE));
    } while (deleted === BATCH_SIZE);
  }

  onModuleInit(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }
}
