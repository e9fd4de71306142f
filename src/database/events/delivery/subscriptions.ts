import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../platform/config/clock.js';
import { Database } from '../../database.js';
import { lockUntilCommit } from '../../locks.js';
import { inJson, isPostgres, jsonRows, query } from '../../statements.js';
import { EventLog, type LogEnd } from '../event-log.js';
import { EVERY_ACCOUNT, type LoggedEvent } from '../logged-event.entity.js';
import { DELIVERIES_LOCK, lastDue } from './due-deliveries.js';
import { EventSubscription } from './event-delivery.entity.js';
import type { Subscription } from './subscription.js';

/** Longer than a handler of an instance that is alive goes without renewing it. */
const LEASE_MS = 30_000;
const EVENTS_PER_READ = 1_000;
/** By one statement, which has a time limit, unless one event has more. */
const MOST_ADDED = 10_000;

/** How far subscriptions have read the log, and which process handles their deliveries. */
@Injectable()
export class Subscriptions {
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
   * @param end of the log, read before the subscriptions: for later events, they may be out of date
   * @returns whether the log goes on: there is more to read, or transactions of earlier events are open
   */
  fanOut(subscriptions: readonly Subscription[], end: LogEnd): Promise<'done' | 'more' | 'open'> {
    const { final, last } = end;
    return this.database.write(async (manager) => {
      await lockUntilCommit(manager, DELIVERIES_LOCK);
      const positions = await this.positions(manager, subscriptions);
      const first = Math.max(0, ...positions.values());
      // Nobody waits for those that were disabled, and have much to read.
      const groups = Map.groupBy(subscriptions, ({ name }) => (positions.get(name) ?? final) < first);
      let isMore = false;
      for (const group of groups.values()) if (await this.advance(manager, group, positions, final)) isMore = true;
      return isMore ? 'more' : last > final ? 'open' : 'done';
    });
  }

  /** Adds deliveries of the next events. @returns whether there are more */
  private async advance(
    manager: EntityManager,
    subscriptions: readonly Subscription[],
    positions: ReadonlyMap<string, number>,
    final: number,
  ): Promise<boolean> {
    const placeOf = ({ name }: Subscription) => positions.get(name) ?? final;
    const from = Math.min(final, ...subscriptions.map(placeOf));
    const types = [...new Set(subscriptions.flatMap(({ filter }) => filter.types))];
    const most = Math.min(EVENTS_PER_READ, Math.max(1, Math.floor(MOST_ADDED / subscriptions.length)));
    const events = await this.log.read({ types }, from, final, most);
    const isMore = events.length === most;
    const end = isMore ? (events.at(-1)?.id ?? final) : final;
    const added = subscriptions.flatMap((subscription) => {
      const place = placeOf(subscription);
      return events
        .filter((event) => event.id > place && isFor(subscription.filter, event))
        .map(({ id, subject }) => ({ name: subscription.name, place: id, subject }));
    });
    await this.insert(manager, added);
    const move = `UPDATE "event_subscriptions" SET "place" = ? WHERE "place" < ? AND "name" ${inJson(manager)}`;
    if (end > from) await query(manager, move, [end, end, namesOf(subscriptions)]);
    return isMore;
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

  private async positions(manager: EntityManager, of: readonly Subscription[]): Promise<Map<string, number>> {
    const sql = `SELECT "name", "place" FROM "event_subscriptions" WHERE "name" ${inJson(manager)}`;
    const rows = await query<EventSubscription>(manager, sql, [namesOf(of)]);
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

/** For `inJson`. */
function namesOf(subscriptions: readonly Subscription[]): string {
  return JSON.stringify(subscriptions.map(({ name }) => name));
}

function isFor({ types, accountId, subject }: Subscription['filter'], event: LoggedEvent): boolean {
  const isVisible = accountId === undefined || event.accountId === EVERY_ACCOUNT || event.accountId === accountId;
  return isVisible && types.includes(event.type) && (subject === undefined || subject === event.subject);
}

/** The lease of a subscription, which is renewed until it is released. */
export class HeldLease {
  private readonly renewal: NodeJS.Timeout;

  private constructor(
    private readonly subscriptions: Subscriptions,
    private readonly name: string,
    private readonly owner: string,
    private end: LeaseEnd,
  ) {
    this.renewal = setInterval(() => void this.renew(), LEASE_MS / 3).unref();
  }

  /** @returns undefined if another process has it */
  static async take(subscriptions: Subscriptions, name: string, owner: string): Promise<HeldLease | undefined> {
    const end = leaseEnd();
    return (await subscriptions.lease(name, owner)) ? new HeldLease(subscriptions, name, owner, end) : undefined;
  }

  /** Also if the database does not respond, it ends for this process no later than for the others. */
  get isOurs(): boolean {
    return performance.now() < this.end.ms && Date.now() < this.end.wallMs;
  }

  async release(): Promise<void> {
    clearInterval(this.renewal);
    if (this.isOurs) await this.subscriptions.lease(this.name, this.owner, 0);
  }

  private async renew(): Promise<void> {
    const end = leaseEnd();
    const isOurs = await this.subscriptions.lease(this.name, this.owner).catch(() => undefined);
    if (isOurs !== undefined) this.end = isOurs ? end : { ms: 0, wallMs: 0 };
  }
}

/** By two clocks: while a machine is suspended, one stands still, and the other can be set. */
interface LeaseEnd {
  readonly ms: number;
  readonly wallMs: number;
}

function leaseEnd(): LeaseEnd {
  return { ms: performance.now() + LEASE_MS, wallMs: Date.now() + LEASE_MS };
}
