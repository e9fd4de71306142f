import { Injectable } from '@nestjs/common';
import { type EntityManager, In, LessThan } from 'typeorm';
import { Clock } from '../../../platform/config/clock.js';
import { Database } from '../../database.js';
import { lockUntilCommit } from '../../locks.js';
import { cutPage, type Page, type PageRequest } from '../../paging/page.js';
import { inJson, isPostgres, jsonRows, placeholders, query } from '../../statements.js';
import { EventLog } from '../event-log.js';
import { EVERY_ACCOUNT, type LoggedEvent } from '../logged-event.entity.js';
import { BY_DUE, DELIVERIES_LOCK, FIRST_DUE, IS_DUE, lastDue, MOST_READ } from './due-deliveries.js';
import { type DeliveryState, EventDelivery, EventSubscription } from './event-delivery.entity.js';
import { repeatDeliveries } from './repeated-deliveries.js';
import type { Subscription } from './subscription.js';

/** Longer than a handler of an instance that is alive goes without renewing it. */
export const LEASE_MS = 30_000;
const EVENTS_PER_READ = 1_000;
/** By one statement, which has a time limit, unless one event has more. */
const MOST_ADDED = 10_000;
const MOST_LISTED = 1_000;
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

/** What became of a delivery. `dueAt` is present if it is tried again. */
export type DeliveryResult = Pick<EventDelivery, 'state' | 'attempts' | 'error'> &
  Partial<Pick<EventDelivery, 'dueAt'>>;
export type DeliveryOutcome = Pick<EventDelivery, 'place' | 'subject'> & { readonly result: DeliveryResult };

/** All SQL of subscriptions and their deliveries. */
@Injectable()
export class Deliveries {
  constructor(
    private readonly database: Database,
    private readonly log: EventLog,
    private readonly clock: Clock,
  ) {}

  /** Adds a subscription, which begins with what is appended from now on. Does nothing if there is one with this name. */
  async add(manager: EntityManager, name: string): Promise<void> {
    const { final } = await this.log.end();
    const values = [{ name, place: final, leaseOwner: null, leasedUntil: 0 }];
    await manager.createQueryBuilder().insert().into(EventSubscription).values(values).orIgnore().execute();
  }

  /** Removes a subscription. Its deliveries can be many: they stop with it, and are deleted later. */
  async remove(manager: EntityManager, name: string): Promise<void> {
    await manager.delete(EventSubscription, { name });
  }

  /**
   * Adds deliveries of the events that subscriptions have not read yet. One process at a time does it.
   * @returns whether the log goes on: there is more to read, or transactions of earlier events are open
   */
  fanOut(subscriptions: readonly Subscription[]): Promise<'done' | 'more' | 'open'> {
    const names = subscriptions.map(({ name }) => name);
    return this.database.write(async (manager) => {
      await lockUntilCommit(manager, DELIVERIES_LOCK);
      const positions = await this.positions(manager, names);
      const { final, last } = await this.log.end();
      const from = Math.min(final, ...positions.values());
      const types = [...new Set(subscriptions.flatMap(({ filter }) => filter.types))];
      const most = Math.min(EVENTS_PER_READ, Math.max(1, Math.floor(MOST_ADDED / subscriptions.length)));
      const events = await this.log.read({ types }, from, final, most);
      const isMore = events.length === most;
      const end = isMore ? (events.at(-1)?.id ?? final) : final;
      const added = subscriptions.flatMap(({ name, filter }) => {
        const place = positions.get(name) ?? final;
        return events
          .filter((event) => event.id > place && isFor(filter, event))
          .map(({ id, subject }) => ({ name, place: id, subject }));
      });
      await this.insert(manager, added);
      const move = `UPDATE "event_subscriptions" SET "place" = ? WHERE "place" < ? AND "name" ${inJson(manager)}`;
      if (end > from) await query(manager, move, [end, end, JSON.stringify(names)]);
      return isMore ? 'more' : last > final ? 'open' : 'done';
    });
  }

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

  /** Takes the lease of a subscription, or renews it. @returns `false` if another process has it */
  async lease(name: string, owner: string, durationMs = LEASE_MS): Promise<boolean> {
    // An SQLite file has one service, and each write would wait for the disk.
    if (this.database.isEmbedded) return true;
    const nowMs = this.clock.nowMs();
    const sql = `UPDATE "event_subscriptions" SET "lease_owner" = ?, "leased_until" = ?
      WHERE "name" = ? AND ("lease_owner" = ? OR "leased_until" <= ?) RETURNING "name"`;
    const rows = await query(this.database.manager, sql, [owner, nowMs + durationMs, name, owner, nowMs]);
    return rows.length > 0;
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

  /** Records what became of deliveries. Those without an outcome stay due. */
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

  /** Dead letters, in the order of their events. @param name of a subscription; default: of all */
  failed(name: string | undefined): Promise<EventDelivery[]> {
    const where = { state: 'failed' as const, ...(name === undefined ? {} : { subscription: name }) };
    return this.database.manager.find(EventDelivery, { where, order: { place: 'ASC' }, take: MOST_LISTED });
  }

  /**
   * Lets deliveries that ended at a time or later be tried again, now: they were due when they ended. If it is interrupted, some
   * are tried again, and it can be called again for the others.
   * @returns how many
   */
  repeat(name: string, state: 'failed' | 'delivered', fromMs = 0): Promise<number> {
    return repeatDeliveries(this.database, name, state, fromMs);
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

  private async positions(manager: EntityManager, names: readonly string[]): Promise<Map<string, number>> {
    const sql = `SELECT "name", "place" FROM "event_subscriptions" WHERE "name" ${inJson(manager)}`;
    const rows = await query<EventSubscription>(manager, sql, [JSON.stringify(names)]);
    return new Map(rows.map(({ name, place }) => [name, place]));
  }

  private async insert(
    manager: EntityManager,
    rows: readonly { name: string; place: number; subject: string }[],
  ): Promise<void> {
    if (rows.length === 0) return;
    const nowMs = this.clock.nowMs();
    const waiting = lastDue('"new"."name"', '"new"."subject"');
    const source = jsonRows(isPostgres(manager) ? 'postgres' : 'sqlite', {
      name: 'text',
      place: 'bigint',
      subject: 'text',
    });
    const sql = `INSERT INTO "event_deliveries" ("subscription", "place", "subject", "state", "attempts", "due_at", "at")
      SELECT "name", "place", "subject", 'pending', 0, COALESCE((${waiting}), ${nowMs}), ${nowMs} FROM ${source} WHERE TRUE ON CONFLICT DO NOTHING`;
    await query(manager, sql, [JSON.stringify(rows)]);
  }
}

function isFor({ types, accountId, subject }: Subscription['filter'], event: LoggedEvent): boolean {
  const isVisible = accountId === undefined || event.accountId === EVERY_ACCOUNT || event.accountId === accountId;
  return isVisible && types.includes(event.type) && (subject === undefined || subject === event.subject);
}
