import { Injectable, Module } from '@nestjs/common';
import { DeletionTask, OldRows } from '../../database/old-rows.js';
import { IdempotencyService } from './idempotency.service.js';

const INTERVAL_MS = 60_000;

/** Expired records are ignored; this frees their space. */
@Injectable()
export class RecordExpiry extends DeletionTask {
  constructor(oldRows: OldRows) {
    super(oldRows, 'deleting expired idempotency records', INTERVAL_MS, [
      { table: 'idempotency_records', isOld: '"expires_at" <= ?', at: (nowMs) => [nowMs] },
    ]);
  }
}

/** Requests with an Idempotency-Key. The module is not global, because global modules are shut down last, after the database. */
@Module({ providers: [IdempotencyService, RecordExpiry], exports: [IdempotencyService] })
export class IdempotencyModule {}
