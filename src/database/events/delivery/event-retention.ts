import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { DeletionTask, OldRows } from '../../old-rows.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Places and times ascend together, unless a clock was ahead, so it is enough to look at the oldest that are not to come. */
const OLD_EVENTS = '"at" < ? AND "id" IN (SELECT "id" FROM "event_log" WHERE "at" <= ? ORDER BY "id" LIMIT 1000)';
const OVER = `"state" IN ('delivered', 'failed') AND "due_at" < ?`;

/** Deletes old events, and deliveries that have been over for as long. */
@Injectable()
export class EventRetention extends DeletionTask {
  constructor(oldRows: OldRows, { EVENT_RETENTION_DAYS }: Env) {
    const oldestMs = (nowMs: number) => nowMs - EVENT_RETENTION_DAYS * DAY_MS;
    const tables = [
      { table: 'event_log', isOld: OLD_EVENTS, at: (nowMs: number) => [oldestMs(nowMs), nowMs] },
      { table: 'event_deliveries', isOld: OVER, at: (nowMs: number) => [oldestMs(nowMs)] },
    ];
    super(oldRows, 'deleting old events', HOUR_MS, EVENT_RETENTION_DAYS > 0 ? tables : []);
  }
}
