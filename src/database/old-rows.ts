import { Injectable, Logger } from '@nestjs/common';
import { Clock, DAY_MS, HOUR_MS } from '../platform/config/clock.js';
import { RecurringTask } from '../platform/recurring-task.js';
import { throwErrors, writeInChunks } from './chunks.js';
import { Database } from './database.js';
import { forUpdate } from './locks.js';
import { isPostgres, query, type SqlParameter } from './statements.js';

/** Rows that one statement deletes, so that other writes do not wait long. */
export const MOST_DELETED = 500;

/** Tells what is old by the clock of the database, and deletes it: a wrong clock of an instance must delete nothing. */
@Injectable()
export class OldRows {
  private readonly logger = new Logger('Background');
  /** The first and the last reading since the process started or its clock was set. */
  private sinceMs: number;
  private lastMs: number;
  /** Where rows are that could not be deleted in a run that had no time for all others, by table and condition. */
  private readonly skipped = new Map<string, readonly string[]>();
  /** How far the clock of this process was ahead of the one of PostgreSQL when that was last read. */
  clockDifferenceMs = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.sinceMs = this.lastMs = clock.nowMs();
  }

  /**
   * Unix time in milliseconds, to compare the times of rows with. On SQLite it is that of this process, which can be wrong at
   * the start, or leap: undefined until the process has seen the new time for an hour.
   */
  async nowMs(): Promise<number | undefined> {
    if (this.database.isEmbedded) return this.trustedNowMs();
    // A test that sets the time sets it for the rows, too.
    if (!this.clock.isReal) return this.clock.nowMs();
    const sql = 'SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT) AS "nowMs"';
    const askedMs = this.clock.nowMs();
    const [row] = await query<{ nowMs: number }>(this.database.manager, sql);
    // It was read at some time between the question and the answer.
    if (row !== undefined) this.clockDifferenceMs = (askedMs + this.clock.nowMs()) / 2 - row.nowMs;
    return row?.nowMs;
  }

  /**
   * Deletes rows until none are left or it is asked to stop. One that cannot be deleted does not keep the others.
   * @param isOld an SQL condition on the rows of the table
   * @throws (rejects) AggregateError with the errors of those that cannot be deleted
   */
  async delete(table: string, isOld: string, parameters: readonly SqlParameter[], stop: AbortSignal): Promise<void> {
    const { manager } = this.database;
    const { place, isIn, textOf } = isPostgres(manager) ? POSTGRES_PLACES : SQLITE_PLACES;
    // Those that another session has locked are left for the next run.
    const areFree = isPostgres(manager) ? `${forUpdate(manager, table)} SKIP LOCKED` : '';
    const rows = `"${table}" WHERE ${isOld} AND`;
    const find = `SELECT ${place} AS "place" FROM ${rows} NOT ${isIn} LIMIT ${MOST_DELETED}${areFree}`;
    const skipped = this.skipped.get(find) ?? [];
    const failed = new Map<string, unknown>();
    let found: { readonly place: string }[];
    do {
      found = await query(manager, find, [...parameters, textOf([...skipped, ...failed.keys()])]);
      const places = found.map((row) => row.place);
      const errors = await writeInChunks(this.database, table, places, (transaction, chunk) =>
        query(transaction, `DELETE FROM ${rows} ${isIn}`, [...parameters, textOf(chunk)]),
      );
      for (const [one, error] of errors) failed.set(one, error);
    } while (found.length === MOST_DELETED && failed.size < MOST_DELETED && !stop.aborted);
    // The next run goes on after them, and the one after the last tries them again.
    if (found.length === MOST_DELETED) this.skipped.set(find, [...skipped, ...failed.keys()]);
    else this.skipped.delete(find);
    throwErrors([...failed.values()]);
  }

  private trustedNowMs(): number | undefined {
    const nowMs = this.clock.nowMs();
    if (nowMs > this.lastMs + DAY_MS || nowMs < this.sinceMs) {
      const [from, to] = [this.lastMs, nowMs].map((ms) => new Date(ms).toISOString());
      this.logger.warn({ message: 'the clock was set; for an hour, nothing is deleted or ended by age', from, to });
      this.sinceMs = nowMs;
    }
    this.lastMs = nowMs;
    return nowMs < this.sinceMs + HOUR_MS ? undefined : nowMs;
  }
}

/** A condition on the old rows of a table, in SQL, and its parameters. */
type OldRowsOf = { table: string; isOld: string; at: (nowMs: number) => readonly SqlParameter[] };

/** Deletes the old rows of some tables at an interval. Rows that cannot be deleted do not keep those of other tables. */
export abstract class DeletionTask extends RecurringTask {
  constructor(oldRows: OldRows, name: string, intervalMs: number, tables: readonly OldRowsOf[]) {
    super(name, intervalMs, async (stop) => {
      const nowMs = await oldRows.nowMs();
      if (nowMs === undefined) return;
      const errors: unknown[] = [];
      for (const { table, isOld, at } of tables)
        await oldRows.delete(table, isOld, at(nowMs), stop).catch((error: unknown) => errors.push(error));
      throwErrors(errors);
    });
  }
}

/** Where rows are. A row that is changed moves on PostgreSQL, so conditions on its content are repeated. */
const POSTGRES_PLACES = {
  place: 'CAST("ctid" AS TEXT)',
  isIn: '"ctid" = ANY(CAST(? AS tid[]))',
  textOf: (places: readonly string[]) => `{${places.map((one) => `"${one}"`).join()}}`,
};
const SQLITE_PLACES = {
  place: '"rowid"',
  isIn: '"rowid" IN (SELECT "value" FROM json_each(?))',
  textOf: (places: readonly string[]) => `[${places.join()}]`,
};
