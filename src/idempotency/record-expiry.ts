import { Injectable, type OnModuleDestroy } from '@nestjs/common';
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
export class RecordExpiry extends RecurringTask implements OnModuleDestroy {
  constructor(database: Database, clock: Clock, records: IdempotencyRepository) {
    super('deleting expired idempotency records', INTERVAL_MS, async () => {
      const nowMs = clock.nowMs();
      let deleted: number;
      do {
        deleted = await database.write((manager) => records.deleteExpired(manager, nowMs, BATCH_SIZE));
      } while (deleted === BATCH_SIZE);
    });
  }

  /** Before the database is closed: the module is global, and global modules are shut down last. */
  onModuleDestroy(): Promise<void> {
    return this.stop();
  }
}
