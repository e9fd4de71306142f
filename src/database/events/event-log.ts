import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import type { EntityManager } from 'typeorm';
import { Database } from '../database.js';
import type { Condition } from '../paging/index-range.js';
import { isPostgres, jsonRows, placeholders, query } from '../statements.js';
import { onCommit } from '../transaction.js';
import { EVERY_ACCOUNT, type LoggedEvent } from './logged-event.entity.js';

/** The columns besides `id`, by the property of the entity. */
const COLUMNS = {
  eventId: 'event_id',
  type: 'type',
  accountId: 'account_id',
  subject: 'subject',
  data: 'data',
  actor: 'actor',
  actorAccountId: 'actor_account_id',
  requestId: 'request_id',
  traceId: 'trace_id',
  at: 'at',
} as const satisfies Record<Exclude<keyof LoggedEvent, 'id'>, string>;

const NAMES = Object.values(COLUMNS).map((column) => `"${column}"`);
const TYPES = Object.fromEntries(
  Object.entries(COLUMNS).map(
    ([property, column]) => [property, /^at$|account_id$/.test(column) ? 'bigint' : 'text'] as const,
  ),
);
const SELECTED = [
  '"id"',
  ...Object.entries(COLUMNS).map(([property, column]) => `"${column}" AS "${property}"`),
].join();

/**
 * The new rows in the order of `NAMES`. Times of a subject never go back, also if a clock did, or that of another instance is
 * behind: receivers compare them.
 */
const selected = (highest: 'GREATEST' | 'MAX') =>
  Object.keys(COLUMNS)
    .map((property) =>
      property === 'at'
        ? `${highest}("new"."at", COALESCE((SELECT "log"."at" FROM "event_log" "log"
            WHERE "log"."subject" = "new"."subject" ORDER BY "log"."id" DESC LIMIT 1), 0))`
        : `"new"."${property}"`,
    )
    .join();

/** Advisory locks from here on stand for places in the log, and others hardly ever. */
const FIRST_LOCK = '3400000000000000000';
/** The last place that was taken. Reading the sequence itself would need another right than taking a place does. */
const LAST_PLACE = `COALESCE(pg_sequence_last_value('"event_log_id_seq"'::regclass), 0)`;

/*
 * Sequences of PostgreSQL assign places before the commit, so a later place can become visible before an earlier one. Each
 * transaction therefore holds a shared lock on the last place before its own, until its rows are visible. Nobody waits for it.
 */
const APPEND_TO_POSTGRES = `
  WITH "held" AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(${FIRST_LOCK} + ${LAST_PLACE}))
  INSERT INTO "event_log" (${NAMES.join()}) SELECT ${selected('GREATEST')} FROM "held", ${jsonRows('postgres', TYPES)}`;

const APPEND_TO_SQLITE = `INSERT INTO "event_log" (${NAMES.join()}) SELECT ${selected('MAX')} FROM ${jsonRows('sqlite', TYPES)}`;

/** All places up to the lowest held one are final: the place is read first, then the locks of those that took one before. */
const FINAL_ON_POSTGRES = `
  SELECT "last_place" AS "last", LEAST("last_place", (
    SELECT MIN(("classid"::bigint << 32) + "objid"::bigint - ${FIRST_LOCK}) FROM pg_locks
    WHERE "locktype" = 'advisory' AND "objsubid" = 1 AND "mode" = 'ShareLock'
      AND "database" = (SELECT "oid" FROM pg_database WHERE "datname" = current_database())
      AND ("classid"::bigint << 32) + "objid"::bigint BETWEEN ${FIRST_LOCK} AND ${FIRST_LOCK} + "last_place"
  )) AS "final" FROM (SELECT ${LAST_PLACE} AS "last_place" OFFSET 0) AS "sequence"`;

/** Not the highest place that is left, because old events are deleted. */
const FINAL_ON_SQLITE = `SELECT COALESCE(MAX("seq"), 0) AS "last", COALESCE(MAX("seq"), 0) AS "final"
  FROM "sqlite_sequence" WHERE "name" = 'event_log'`;

export type NewLoggedEvent = Omit<LoggedEvent, 'id'>;

export interface EventFilter {
  /** Names of events. */
  readonly types: readonly string[];
  /** Only what this account can read. */
  readonly accountId?: number;
  readonly subject?: string | undefined;
}

/** How far the log can be read. `last` is beyond `final` while transactions before it are open. */
export interface LogEnd {
  readonly final: number;
  readonly last: number;
}

/** The log of events, in the order of their places. */
@Injectable()
export class EventLog {
  /** Emits when events of this process were committed. */
  readonly appended = new Subject<void>();

  constructor(private readonly database: Database) {}

  /** Appends events in the transaction of their changes. */
  async append(manager: EntityManager, events: readonly NewLoggedEvent[]): Promise<void> {
    await query(manager, isPostgres(manager) ? APPEND_TO_POSTGRES : APPEND_TO_SQLITE, [JSON.stringify(events)]);
    onCommit(() => this.appended.next());
  }

  /** Where the log ends now. No more events can appear up to the place `final`. */
  async end(): Promise<LogEnd> {
    const sql = this.database.isEmbedded ? FINAL_ON_SQLITE : FINAL_ON_POSTGRES;
    const [end] = await query<LogEnd>(this.database.manager, sql);
    if (end === undefined) throw new Error('The log of events has no end.');
    return end;
  }

  readAt(places: readonly number[]): Promise<LoggedEvent[]> {
    if (places.length === 0) return Promise.resolve([]);
    return query(
      this.database.manager,
      `SELECT ${SELECTED} FROM "event_log" WHERE "id" IN ${placeholders(places)}`,
      places,
    );
  }

  /** Events between two places, `end` included. Ask for the end before: what was final then is visible now. */
  async read(filter: EventFilter, after: number, end: number, limit: number): Promise<LoggedEvent[]> {
    const { types, accountId, subject } = filter;
    if (types.length === 0 || after >= end) return [];
    const range = ' AND "id" > ? AND "id" <= ? ORDER BY "id" LIMIT ?';
    const rangeOf = [after, end, limit];
    const accounts = accountId === undefined ? undefined : [EVERY_ACCOUNT, accountId];
    if (subject !== undefined || accounts === undefined) {
      const conditions: Condition[] = [
        { sql: `"type" IN ${placeholders(types)}`, parameters: types },
        ...(subject === undefined ? [] : [{ sql: '"subject" = ?', parameters: [subject] }]),
        ...(accounts === undefined ? [] : [{ sql: `"account_id" IN ${placeholders(accounts)}`, parameters: accounts }]),
      ];
      const where = conditions.map(({ sql }) => sql).join(' AND ');
      const parameters = [...conditions.flatMap((condition) => condition.parameters), ...rangeOf];
      return query(this.database.manager, `SELECT ${SELECTED} FROM "event_log" WHERE ${where}${range}`, parameters);
    }
    // Each part is a range of one index, however rare its type is.
    const parts = accounts.flatMap((account) => types.map((type) => [account, type, ...rangeOf]));
    const part = `SELECT * FROM (SELECT ${SELECTED} FROM "event_log" WHERE "account_id" = ? AND "type" = ?${range}) AS "part"`;
    const sql = `${parts.map(() => part).join(' UNION ALL ')} ORDER BY "id" LIMIT ?`;
    return query(this.database.manager, sql, [...parts.flat(), limit]);
  }
}
