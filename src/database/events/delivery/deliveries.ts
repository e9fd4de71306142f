import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { In, LessThan, MoreThan } from 'typeorm';
import { Clock } from '../../../platform/config/clock.js';
import { Database } from '../../database.js';
import { lockUntilCommit } from '../../locks.js';
import { cutPage, type Page, type PageRequest } from '../../paging/page.js';
import { inJson, isPostgres, jsonRows, placeholders, query } from '../../statements.js';
import { EventLog } from '../event-log.js';
import type { LoggedEvent } from '../logged-event.entity.js';
import { BY_DUE, BY_SUBJECT, DELIVERIES_LOCK, FIRST_DUE, IS_DUE, lastDue, MOST_READ } from './due-deliveries.js';
import { type DeliveryState, EventDelivery } from './event-delivery.entity.js';
import type { Subscription } from './subscription.js';

const MOST_LISTED = 1_000;
/** Rows of one transaction, so that other writes do not wait long. */
const MOST_REPEATED = 500;

/*
 * Subjects one after the other: a delivery that is over again while this goes on stays where it was, and is not repeated twice.
 * What is over was due, so it is due at once, unless an earlier one of its subject waits.
 */
const NEXT_TO_REPEAT = `SELECT "subject", "place" FROM "event_deliveries"
  WHERE (${BY_SUBJECT}) > (?, ?, ?, ?) AND ("subscription", "state") <= (?, ?) ORDER BY ${BY_SUBJECT} LIMIT ${MOST_REPEATED}`;
const WAITING = lastDue('"event_deliveries"."subscription"', '"event_deliveries"."subject"');
const repeatAt = (places: string) => `UPDATE "event_deliveries"
  SET "state" = 'pending', "attempts" = 0, "due_at" = COALESCE((${WAITING}), "due_at")
  WHERE ("subscription", "place") IN (SELECT CAST(? AS TEXT), "place" FROM ${places}) AND "state" = ? AND "at" >= ? RETURNING "place"`;

/** A delivery that is due, with its event, which may have been deleted. */
export interface DueDelivery {
  readonly place: number;
  readonly subject: string;
  readonly attempts: number;
  readonly event: LoggedEvent | undefined;
}

/** `eventId` is absent if the event was deleted. */
export interface ListedDelivery extends EventDelivery {
  readonly eventId: string | undefined;
}

/** The outcome of a delivery. `dueAt` is present if it is retried. */
export type DeliveryResult = Pick<EventDelivery, 'state' | 'attempts' | 'error'> &
  Partial<Pick<EventDelivery, 'dueAt'>>;
export type DeliveryOutcome = Pick<EventDelivery, 'place' | 'subject'> & { readonly result: DeliveryResult };

@Injectable()
export class Deliveries {
  constructor(
    private readonly database: Database,
    private readonly log: EventLog,
    private readonly clock: Clock,
  ) {}

  /** The subscriptions with deliveries that are due, and when others will be, in Unix time in milliseconds. */
  async due(names: readonly string[]): Promise<{ readonly names: readonly string[]; readonly nextMs: number }> {
    const { manager } = this.database;
    const sql = `SELECT "name", (${FIRST_DUE}) AS "dueAt" FROM "event_subscriptions" "one" WHERE "name" ${inJson(manager)}`;
    const rows = await query<{ name: string; dueAt: number | null }>(manager, sql, [JSON.stringify(names)]);
    const nowMs = this.clock.nowMs();
    const isDue = ({ dueAt }: { dueAt: number | null }) => dueAt !== null && dueAt <= nowMs;
    const later = rows.flatMap((row) => (isDue(row) ? [] : (row.dueAt ?? Infinity)));
    return { names: rows.filter(isDue).map(({ name }) => name), nextMs: Math.min(...later) };
  }

  /** Deliveries that are due, those of a subject in the order of their events. @param busy subjects to leave out */
  async read(name: string, busy: readonly string[]): Promise<DueDelivery[]> {
    const others = busy.length === 0 ? '' : ` AND "subject" NOT IN ${placeholders(busy)}`;
    const rows = `"event_deliveries" WHERE ${IS_DUE}${others} ORDER BY ${BY_DUE} LIMIT ${MOST_READ}`;
    const sql = `SELECT "place", "subject", "attempts" FROM ${rows}`;
    const due = await query<DueDelivery>(this.database.manager, sql, [name, name, name, this.clock.nowMs(), ...busy]);
    const events = await this.log.readAt(due.map(({ place }) => place));
    const byPlace = new Map(events.map((event) => [event.id, event]));
    return due.map((delivery) => ({ ...delivery, event: byPlace.get(delivery.place) }));
  }

  /** Records the outcomes of deliveries. Those without an outcome stay due. */
  async record({ name, keepsDelivered }: Subscription, outcomes: readonly DeliveryOutcome[]): Promise<void> {
    const at = this.clock.nowMs();
    await this.database.write(async (manager) => {
      const retried = outcomes.filter(({ result }) => result.state === 'pending');
      // Nobody adds deliveries meanwhile, which would overtake them.
      if (retried.length > 0) await lockUntilCommit(manager, DELIVERIES_LOCK);
      // Nearly all have the same result, which takes one statement.
      for (const [json, same] of Map.groupBy(outcomes, ({ result }) => JSON.stringify(result))) {
        const result = JSON.parse(json) as DeliveryResult;
        const place = In(same.map((one) => one.place));
        // Unless another process took over, and has recorded its own attempt. With the state, SQLite would read all that waits.
        const handled = { subscription: name, place, attempts: result.attempts - 1 };
        if (result.state === 'delivered' && !keepsDelivered) await manager.delete(EventDelivery, handled);
        else await manager.update(EventDelivery, handled, { ...result, at });
      }
      for (const { subject, result } of retried) {
        const dueAt = result.dueAt ?? at;
        const overtaking = { subscription: name, subject, state: 'pending', dueAt: LessThan(dueAt) } as const;
        await manager.update(EventDelivery, overtaking, { dueAt });
      }
    });
  }

  /** When an attempt of a subscription last ended, in Unix time in milliseconds; 0 if none did. */
  async lastAttemptMs(name: string): Promise<number> {
    const where = { subscription: name, attempts: MoreThan(0) };
    return Number(await this.database.manager.maximum(EventDelivery, 'at', where));
  }

  /** Dead letters, in the order of their events. @param name of a subscription; default: of all */
  failed(name: string | undefined): Promise<EventDelivery[]> {
    const where = { state: 'failed' as const, ...(name === undefined ? {} : { subscription: name }) };
    return this.database.manager.find(EventDelivery, { where, order: { place: 'ASC' }, take: MOST_LISTED });
  }

  /**
   * Lets deliveries that ended at a time or later be retried at once. If it is interrupted, call it again for the others.
   * @returns how many
   */
  async repeat(name: string, state: 'failed' | 'delivered', fromMs = 0): Promise<number> {
    const { manager } = this.database;
    const repeat = repeatAt(jsonRows(isPostgres(manager) ? 'postgres' : 'sqlite', { place: 'bigint' }));
    let repeated = 0;
    let next: Pick<EventDelivery, 'subject' | 'place'>[] = [{ subject: '', place: 0 }];
    for (;;) {
      // Statements on SQLite are synchronous: what waits has its turn between them.
      await nextTurn();
      const last = next.at(-1);
      if (last === undefined) return repeated;
      next = await query(manager, NEXT_TO_REPEAT, [name, state, last.subject, last.place, name, state]);
      const places = JSON.stringify(next);
      repeated += await this.database.write(async (transaction) => {
        // Nobody lets an earlier one of a subject wait meanwhile, which these would overtake.
        await lockUntilCommit(transaction, DELIVERIES_LOCK);
        return (await query(transaction, repeat, [name, places, state, fromMs])).length;
      });
    }
  }

  /** Deliveries in the order of their events. */
  async page(name: string, { limit, after = '0' }: PageRequest, state?: DeliveryState): Promise<Page<ListedDelivery>> {
    const found = this.database.manager
      .createQueryBuilder(EventDelivery, 'delivery')
      .where('delivery.subscription = :name AND delivery.place > CAST(:after AS BIGINT)', { name, after })
      .orderBy('delivery.place')
      .limit(limit + 1);
    if (state !== undefined) found.andWhere({ state });
    const rows = await found.getMany();
    const { items, nextAfter } = cutPage(
      rows.map((row) => ({ ...row, id: row.place })),
      limit,
    );
    const events = new Map(
      (await this.log.readAt(items.map(({ id }) => id))).map((event) => [event.id, event.eventId]),
    );
    return { items: items.map((item) => ({ ...item, eventId: events.get(item.id) })), nextAfter };
  }
}
