import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { DeletionTask, OldRows } from '../../old-rows.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Deletes deliveries that are over as long after them as events are kept. */
@Injectable()
export class DeliveryRetention extends DeletionTask {
  constructor(oldRows: OldRows, { EVENT_RETENTION_DAYS }: Env) {
    const at = (nowMs: number) => [nowMs - EVENT_RETENTION_DAYS * DAY_MS];
    const over = { table: 'event_deliveries', isOld: `"state" IN ('delivered', 'failed') AND "due_at" < ?`, at };
    super(oldRows, 'deleting old deliveries of events', HOUR_MS, EVENT_RETENTION_DAYS > 0 ? [over] : []);
  }
}
