import { Injectable } from '@nestjs/common';
import { DAY_MS, HOUR_MS } from '../../../platform/config/clock.js';
import { Env } from '../../../platform/config/env.js';
import { RecurringTask } from '../../../platform/recurring-task.js';
import { Database } from '../../database.js';
import { DeletionTask, MOST_DELETED, OldRows } from '../../old-rows.js';
import { query } from '../../statements.js';

/**
 * From the oldest on, up to one that is kept, and in one statement: a cursor at an event that is kept misses nothing. Clocks of
 * instances differ, so times need not ascend as places do. Old are those up to which all are. Events to come, of a clock that
 * was ahead, keep none of the others.
 */
const OLD_EVENTS = `"id" IN (SELECT "id" FROM (SELECT "id", MAX("at") OVER (ORDER BY "id") AS "latest"
  FROM (SELECT "id", "at" FROM "event_log" WHERE "at" <= ? ORDER BY "id" LIMIT ${MOST_DELETED}) AS "oldest") AS "all"
  WHERE "latest" < ?)`;
const OVER = `"state" IN ('delivered', 'failed') AND "due_at" < ?`;

/** Deletes old events, and deliveries that have been over for as long. */
@Injectable()
export class EventRetention extends DeletionTask {
  constructor(oldRows: OldRows, { EVENT_RETENTION_DAYS }: Env) {
    const oldestMs = (nowMs: number) => nowMs - EVENT_RETENTION_DAYS * DAY_MS;
    const tables = [
      { table: 'event_log', isOld: OLD_EVENTS, at: (nowMs: number) => [nowMs, oldestMs(nowMs)] },
      { table: 'event_deliveries', isOld: OVER, at: (nowMs: number) => [oldestMs(nowMs)] },
    ];
    super(oldRows, 'deleting old events', HOUR_MS, EVENT_RETENTION_DAYS > 0 ? tables : []);
  }
}

/** Names of deliveries without a subscription. It asks the index for one name after the other. */
const REMOVED = `WITH RECURSIVE "all" ("name") AS (
    SELECT MIN("subscription") FROM "event_deliveries" UNION ALL
    SELECT (SELECT MIN("subscription") FROM "event_deliveries" WHERE "subscription" > "name") FROM "all" WHERE "name" IS NOT NULL)
  SELECT "name" FROM "all" WHERE "name" NOT IN (SELECT "name" FROM "event_subscriptions")`;

/** Deletes the deliveries of subscriptions that were removed. */
@Injectable()
export class RemovedSubscriptions extends RecurringTask {
  constructor(database: Database, oldRows: OldRows) {
    super('deleting deliveries of removed webhooks', HOUR_MS, async (stop) => {
      for (const { name } of await query<{ name: string }>(database.manager, REMOVED))
        await oldRows.delete('event_deliveries', '"subscription" = ?', [name], stop);
    });
  }
}
