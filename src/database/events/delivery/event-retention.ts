import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { DeletionTask, OldRows } from '../../old-rows.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Places and times ascend together, so it is enough to look at the oldest. */
const OLD_EVENTS = '"at" < ? AND "id" IN (SELECT "id" FROM "event_log" ORDER BY "id" LIMIT 1000)';
const OVER = `"state" IN ('delivered', 'failed') AND "due_at" < ?`;

/** Deletes old events, and deliveries that have been over for as long. */
@Injectable()
export class EventRetention extends DeletionTask {
  constructor(oldRows: OldRows, { EVENT_RETENTION_DAYS }: Env) {
    const at = (nowMs: number) => [nowMs - EVENT_RETENTION_DAYS * DAY_MS];
    const tables = [
      { table: 'event_log', isOld: OLD_EVENTS, at },
      { table: 'event_deliveries', isOld: OVER, at },
    ];
    super(oldRows, 'deleting old events', HOUR_MS, EVENT_RETENTION_DAYS > 0 ? tables : []);
  }
}
