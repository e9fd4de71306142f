import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../database.js';
import { lockUntilCommit } from '../../locks.js';
import { isPostgres, jsonRows, query } from '../../statements.js';
import { BY_SUBJECT, DELIVERIES_LOCK, lastDue } from './due-deliveries.js';
import type { EventDelivery } from './event-delivery.entity.js';

/** Rows of one transaction, so that other writes do not wait long. */
const MOST_REPEATED = 500;

/*
 * Subjects one after the other: a delivery that is over again while this goes on stays where it was, and is not repeated twice.
 */
const NEXT = `SELECT "subject", "place" FROM "event_deliveries"
  WHERE (${BY_SUBJECT}) > (?, ?, ?, ?) AND ("subscription", "state") <= (?, ?) ORDER BY ${BY_SUBJECT} LIMIT ${MOST_REPEATED}`;
const WAITING = lastDue('"event_deliveries"."subscription"', '"event_deliveries"."subject"');
const repeatAt = (places: string) => `UPDATE "event_deliveries"
  SET "state" = 'pending', "attempts" = 0, "due_at" = COALESCE((${WAITING}), "due_at")
  WHERE ("subscription", "place") IN (SELECT CAST(? AS TEXT), "place" FROM ${places}) AND "state" = ? AND "at" >= ? RETURNING "place"`;

/** Lets deliveries that ended at a time or later be tried again, now: they were due when they ended. @returns how many */
export async function repeatDeliveries(
  database: Database,
  name: string,
  state: 'failed' | 'delivered',
  fromMs: number,
): Promise<number> {
  const repeat = repeatAt(jsonRows(isPostgres(database.manager) ? 'postgres' : 'sqlite', { place: 'bigint' }));
  let repeated = 0;
  let next: Pick<EventDelivery, 'subject' | 'place'>[] = [{ subject: '', place: 0 }];
  for (;;) {
    // Statements on SQLite are synchronous: what waits has its turn between them.
    await nextTurn();
    const last = next.at(-1);
    if (last === undefined) return repeated;
    next = await query(database.manager, NEXT, [name, state, last.subject, last.place, name, state]);
    const places = JSON.stringify(next);
    repeated += await database.write(async (manager) => {
      // Nobody lets an earlier one of a subject wait meanwhile, which these would overtake.
      await lockUntilCommit(manager, DELIVERIES_LOCK);
      return (await query(manager, repeat, [name, places, state, fromMs])).length;
    });
  }
}
