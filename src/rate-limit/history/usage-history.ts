import { Injectable } from '@nestjs/common';
import { byBytes, query } from '../../database/statements.js';
import { Database } from '../../database/database.js';
import { DeletionTask, OldRows } from '../../database/old-rows.js';
import { validationFailed } from '../../http/errors/problem.js';
import { Clock, rfc3339 } from '../../platform/config/clock.js';
import { DAY_SECONDS } from '../windows/usage.js';

/** UTC days that the history has besides today. */
const KEPT_DAYS = 30;
const INTERVAL_MS = 3_600_000;
export const MOST_ITEMS = 20_000;

export const KEY_COLUMNS = '"account_id", "hour", "key_id", "operation", "outcome"';
const SPLITS = { key: '"key_id"', operation: '"operation"', outcome: '"outcome"' };

/** Intervals by name, in seconds, with the days that a report can have. */
const INTERVALS = {
  hour: { length: 3_600, usualDays: 1, mostDays: 7 },
  day: { length: DAY_SECONDS, usualDays: KEPT_DAYS, mostDays: KEPT_DAYS + 1 },
};

export const OUTCOMES = ['admitted', 'limited', 'banned', 'client_error', 'server_error'] as const;

export interface HistoryQuery {
  readonly from?: Date;
  readonly to?: Date;
  readonly interval: keyof typeof INTERVALS;
  readonly by?: keyof typeof SPLITS;
}

@Injectable()
export class OldUsageDeletion extends DeletionTask {
  constructor(oldRows: OldRows) {
    super(oldRows, 'deleting old usage history', INTERVAL_MS, [
      { table: 'usage_history', isOld: '"hour" < ?', at: (nowMs) => [startOfDay(nowMs / 1_000, KEPT_DAYS)] },
    ]);
  }
}

/** Reads the history that `UsageRecorder` writes. */
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
    if (from > nowSeconds) throw validationFailed(['from must not be in the future']);
    if (to <= oldest) throw validationFailed([`to must be after ${rfc3339(oldest * 1_000)}, where the history begins`]);
    if (range.from !== undefined && range.to !== undefined && range.from >= range.to)
      throw validationFailed(['from must be before to']);
    if (to - from > mostDays * DAY_SECONDS)
      throw validationFailed([`from and to must be at most ${mostDays} days apart if interval is ${interval}`]);
    const rows = await this.database.read((manager) => {
      const split = by === undefined ? '' : `, ${byBytes(manager, SPLITS[by])} AS "${by}"`;
      const groups = by === undefined ? '1' : '1, 3';
      const sql = `
        SELECT "hour" - "hour" % ${length} AS "start", CAST(SUM("requests") AS BIGINT) AS "requests"${split}
        FROM "usage_history" WHERE "account_id" = ? AND "hour" >= ? AND "hour" < ?
        GROUP BY ${groups} ORDER BY ${groups} LIMIT ${MOST_ITEMS + 1}`;
      return query<{ start: number; requests: number }>(manager, sql, [accountId, from, to]);
    });
    if (rows.length > MOST_ITEMS)
      throw validationFailed([`from and to must be closer together: the response would exceed ${MOST_ITEMS} items`]);
    const items = rows.map((row) => ({ ...row, start: rfc3339(row.start * 1_000) }));
    return { from: rfc3339(from * 1_000), to: rfc3339(to * 1_000), interval, items };
  }

  /** All accounts with their requests of the last days, today included, by outcome. Those with most come first. */
  ofAll(days: number): Promise<Record<'account' | 'plan' | 'requests' | (typeof OUTCOMES)[number], string | number>[]> {
    const sums = OUTCOMES.map((outcome) => sum(`CASE "outcome" WHEN '${outcome}' THEN "requests" END`, outcome));
    const sql = `
      SELECT "name" AS "account", "plan", ${[sum('"requests"', 'requests'), ...sums].join()}
      FROM "accounts" LEFT JOIN "usage_history" ON "account_id" = "id" AND "hour" >= ?
      GROUP BY "id" ORDER BY 3 DESC, "id"`;
    return this.database.read((manager) => query(manager, sql, [startOfDay(this.clock.nowSeconds(), days - 1)]));
  }
}

function startOfDay(nowSeconds: number, daysAgo: number): number {
  return (Math.floor(nowSeconds / DAY_SECONDS) - daysAgo) * DAY_SECONDS;
}

const secondsOf = (time: Date) => time.getTime() / 1000;
const sum = (count: string, name: string) => `CAST(COALESCE(SUM(${count}), 0) AS BIGINT) AS "${name}"`;
