import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../auth/caller.js';
import { Database } from '../../database/database.js';
import { DeletionTask, OldRows } from '../../database/old-rows.js';
import { byBytes, ofExistingAccounts, placeholders, query } from '../../database/statements.js';
import { WriteBehind } from '../../database/write-behind.js';
import { validationFailed } from '../../http/errors/api-error.js';
import { Clock, HOUR_MS, rfc3339 } from '../../platform/config/clock.js';
import type { ResponseListener } from '../../http/hooks/responses.js';
import { RecurringTask } from '../../platform/recurring-task.js';
import { UNMATCHED_ROUTE } from '../../platform/tracing/spans.js';
import { DAY_SECONDS, HOUR_SECONDS, startOfHour } from '../windows/usage.js';

/** A crash loses the requests of this time and of one write. */
const WRITE_INTERVAL_MS = 1_000;
/** Rows of an account and an hour. Requests that would need more count together, by outcome. */
const MOST_ROWS_OF_ACCOUNT = 200;
/** Rows in memory. Requests that would need more, because rows cannot be written, are not recorded. */
const MOST_ROWS = 100_000;
/** UTC days that the history has besides today. */
const KEPT_DAYS = 30;
export const MOST_ITEMS = 20_000;

const KEY_COLUMNS = '"account_id", "hour", "key_id", "operation", "outcome"';
const SPLITS = { key: '"key_id"', operation: '"operation"', outcome: '"outcome"' };

/** Intervals by name, in seconds, with the days that a report can have. */
const INTERVALS = {
  hour: { length: HOUR_SECONDS, usualDays: 1, mostDays: 7 },
  day: { length: DAY_SECONDS, usualDays: KEPT_DAYS, mostDays: KEPT_DAYS + 1 },
};

export const OUTCOMES = ['admitted', 'limited', 'banned', 'client_error', 'server_error'] as const;
type Outcome = (typeof OUTCOMES)[number];

export interface HistoryQuery {
  readonly from?: Date;
  readonly to?: Date;
  readonly interval: keyof typeof INTERVALS;
  readonly by?: keyof typeof SPLITS;
}

/** In the order of the columns. */
type Row = { accountId: number; hour: number; keyId: string; operation: string; outcome: Outcome; requests: number };

/** Records the requests of accounts, except those to operations without quota. Adds them up by hour. */
@Injectable()
export class UsageRecorder extends RecurringTask {
  private readonly rows = new WriteBehind<string, Row>('usage_history', MOST_ROWS, (earlier, { requests }) => {
    earlier.requests += requests;
    return earlier;
  });
  /** Of the rows of this hour. */
  private readonly names = new Set<string>();
  private readonly namesOfAccount = new Map<number, number>();
  private hour = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super('writing the usage history', WRITE_INTERVAL_MS, () => this.write(), { runsAtStop: true });
  }

  /** Counts each response to a caller whom admission let pass. */
  readonly observeResponse: ResponseListener = (request, { statusCode }) => {
    if (request.caller !== undefined) this.count(request.caller, request, outcomeOf(statusCode));
  };

  count({ accountId, keyId }: Caller, { routeOptions }: FastifyRequest, outcome: Outcome): void {
    const { quota, operation = UNMATCHED_ROUTE } = routeOptions.config;
    if (quota === 'none') return;
    const hour = startOfHour(this.clock.nowSeconds());
    if (hour !== this.hour || this.names.size >= MOST_ROWS) {
      this.names.clear();
      this.namesOfAccount.clear();
    }
    this.hour = hour;
    const row = { accountId, hour, keyId, operation, outcome, requests: 1 };
    const name = `${accountId} ${hour} ${keyId} ${operation} ${outcome}`;
    if (this.hasRoom(accountId, name)) this.rows.add(name, row);
    else this.rows.add(`${accountId} ${hour} ${outcome}`, { ...row, keyId: 'other', operation: 'other' });
  }

  private hasRoom(accountId: number, name: string): boolean {
    if (this.names.has(name)) return true;
    const count = this.namesOfAccount.get(accountId) ?? 0;
    if (count >= MOST_ROWS_OF_ACCOUNT) return false;
    this.names.add(name);
    this.namesOfAccount.set(accountId, count + 1);
    return true;
  }

  /** Adds to the counts in the database, as other instances do. */
  private async write(): Promise<void> {
    await this.rows.write(this.database, async (manager, chunk) => {
      const rows = await ofExistingAccounts(manager, chunk);
      const values = rows.map((row) => Object.values(row));
      if (values.length === 0) return;
      const sql = `
        INSERT INTO "usage_history" (${KEY_COLUMNS}, "requests") VALUES ${values.map(placeholders).join()}
        ON CONFLICT (${KEY_COLUMNS}) DO UPDATE SET "requests" = "usage_history"."requests" + excluded."requests"`;
      await query(manager, sql, values.flat());
    });
  }
}

/** The outcome of a request that the plan admitted. A limit of its operation can refuse it. */
function outcomeOf(status: number): Outcome {
  if (status < 400) return 'admitted';
  if (status === 429) return 'limited';
  return status < 500 ? 'client_error' : 'server_error';
}

@Injectable()
export class OldUsageDeletion extends DeletionTask {
  constructor(oldRows: OldRows) {
    super(oldRows, 'deleting old usage history', HOUR_MS, [
      { table: 'usage_history', isOld: '"hour" < ?', at: oldestKept },
      { table: 'key_networks', isOld: '"hour" < ?', at: oldestKept },
    ]);
  }
}

@Injectable()
export class UsageHistory {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * The requests of an account in whole intervals, by time. Intervals without requests are left out.
   * @throws (rejects) ApiError `validation_failed` if the range is invalid or has too many items
   */
  async ofAccount(accountId: number, { interval, by, ...range }: HistoryQuery) {
    const { length, usualDays, mostDays } = INTERVALS[interval];
    const begin = (seconds: number) => Math.floor(seconds / length) * length;
    const nowSeconds = this.clock.nowSeconds();
    const oldest = startOfDay(nowSeconds, KEPT_DAYS);
    const to = range.to === undefined ? begin(nowSeconds) + length : -begin(-secondsOf(range.to));
    const usual = Math.max(oldest, to - usualDays * DAY_SECONDS);
    const from = range.from === undefined ? usual : begin(secondsOf(range.from));
    if (from < oldest)
      throw validationFailed([`from must not be before ${rfc3339(oldest * 1_000)}, where the history begins`]);
    const unsent = range.from === undefined ? ', which is before to if it is not sent,' : '';
    if (from > nowSeconds) throw validationFailed([`from${unsent} must not be in the future`]);
    if (to <= oldest) throw validationFailed([`to must be after ${rfc3339(oldest * 1_000)}, where the history begins`]);
    if (range.from !== undefined && range.to !== undefined && range.from >= range.to)
      throw validationFailed(['from must be before to']);
    if (to - from > mostDays * DAY_SECONDS)
      throw validationFailed([
        `from and to must be at most ${mostDays} days apart, in whole ${interval}s, if interval is ${interval}`,
      ]);
    const { manager } = this.database;
    const split = by === undefined ? '' : `, ${byBytes(manager, SPLITS[by])} AS "${by}"`;
    const groups = by === undefined ? '1' : '1, 3';
    const sql = `
      SELECT "hour" - "hour" % ${length} AS "start", CAST(SUM("requests") AS BIGINT) AS "requests"${split}
      FROM "usage_history" WHERE "account_id" = ? AND "hour" >= ? AND "hour" < ?
      GROUP BY ${groups} ORDER BY ${groups} LIMIT ${MOST_ITEMS + 1}`;
    const rows = await query<{ start: number; requests: number }>(manager, sql, [accountId, from, to]);
    if (rows.length > MOST_ITEMS)
      throw validationFailed([`from and to must be closer together: the response would exceed ${MOST_ITEMS} items`]);
    const items = rows.map((row) => ({ ...row, start: rfc3339(row.start * 1_000) }));
    return { from: rfc3339(from * 1_000), to: rfc3339(to * 1_000), interval, items };
  }

  /**
   * The requests of the last days, today included, by outcome, and the most networks of each key in an hour. Those with most
   * requests come first.
   * @param accountId of one account; default: of all
   * @param by what to split them by instead of the account
   */
  ofAll(days: number, accountId?: number, by?: 'key' | 'operation'): Promise<Record<string, string | number>[]> {
    const sums = OUTCOMES.map((outcome) => sumOf(`CASE "outcome" WHEN '${outcome}' THEN "requests" END`, outcome));
    const named = by === undefined ? '"name" AS "account", "plan"' : `${SPLITS[by]} AS "${by}"`;
    const group = by === undefined ? '"id"' : `"id", ${SPLITS[by]}`;
    const since = `"hour" >= ${startOfDay(this.clock.nowSeconds(), days - 1)}`;
    const networks = `SELECT MAX("networks") FROM "key_networks" AS "of_key"
      WHERE "of_key"."account_id" = "id" AND "of_key"."key_id" = "usage_history"."key_id" AND "of_key".${since}`;
    if (by === 'key') sums.push(`COALESCE((${networks}), 0) AS "networks"`);
    const sql = `
      SELECT ${[named, sumOf('"requests"', 'requests'), ...sums].join()}
      FROM "accounts" ${by === undefined ? 'LEFT ' : ''}JOIN "usage_history" ON "account_id" = "id" AND ${since}
      ${accountId === undefined ? '' : 'WHERE "id" = ?'} GROUP BY ${group} ORDER BY "requests" DESC, ${group}`;
    return query(this.database.manager, sql, accountId === undefined ? [] : [accountId]);
  }
}

function startOfDay(nowSeconds: number, daysAgo: number): number {
  return (Math.floor(nowSeconds / DAY_SECONDS) - daysAgo) * DAY_SECONDS;
}

const oldestKept = (nowMs: number) => [startOfDay(nowMs / 1_000, KEPT_DAYS)];
const secondsOf = (time: Date) => time.getTime() / 1000;
const sumOf = (count: string, name: string) => `CAST(COALESCE(SUM(${count}), 0) AS BIGINT) AS "${name}"`;
