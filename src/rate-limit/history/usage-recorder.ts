import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../auth/caller.js';
import { Database } from '../../database/database.js';
import { onCommit } from '../../database/transaction.js';
import { query } from '../../database/statements.js';
import { throwErrors, writeInChunks } from '../../database/chunks.js';
import type { ResponseListener } from '../../http/hooks/responses.js';
import { Clock } from '../../platform/config/clock.js';
import { RecurringTask } from '../../platform/recurring-task.js';
import { UNMATCHED_ROUTE } from '../../platform/tracing/spans.js';
import { KEY_COLUMNS, type OUTCOMES } from './usage-history.js';

/** A crash loses the requests of this time and of one write. */
const WRITE_INTERVAL_MS = 1_000;
/** Rows of an account and an hour. Requests that would need more count together, by outcome. */
const MOST_ROWS_OF_ACCOUNT = 200;
/** Rows in memory. Requests that would need more, because rows cannot be written, are not recorded. */
const MOST_ROWS = 100_000;
const HOUR_SECONDS = 3_600;
const OTHER = 'other';

type Outcome = (typeof OUTCOMES)[number];

/** In the order of the columns; `requests` are those that are not written yet. */
type Row = { accountId: number; hour: number; keyId: string; operation: string; outcome: Outcome; requests: number };

/** Records the requests of accounts, except those to operations without quota. Adds them up by hour. */
@Injectable()
export class UsageRecorder extends RecurringTask {
  /** The rows of this hour, and those of earlier ones that are not written yet. */
  private readonly rows = new Map<string, Row>();
  private readonly rowsOfAccount = new Map<number, number>();
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
    const nowSeconds = this.clock.nowSeconds();
    const hour = nowSeconds - (nowSeconds % HOUR_SECONDS);
    if (hour !== this.hour) this.rowsOfAccount.clear();
    this.hour = hour;
    const row = this.rowOf(accountId, keyId, operation, outcome);
    if (row !== undefined) row.requests += 1;
  }

  private rowOf(accountId: number, keyId: string, operation: string, outcome: Outcome): Row | undefined {
    const { hour } = this;
    const name = `${accountId} ${hour} ${keyId} ${operation} ${outcome}`;
    const known = this.rows.get(name);
    if (known !== undefined) return known;
    const count = this.rowsOfAccount.get(accountId) ?? 0;
    if (count >= MOST_ROWS_OF_ACCOUNT && keyId !== OTHER) return this.rowOf(accountId, OTHER, OTHER, outcome);
    if (this.rows.size >= MOST_ROWS) return undefined;
    const row = { accountId, hour, keyId, operation, outcome, requests: 0 };
    this.rows.set(name, row);
    this.rowsOfAccount.set(accountId, count + 1);
    return row;
  }

  /** Adds to the counts in the database, as other instances do. If it fails, the next call adds what is missing. */
  private async write(): Promise<void> {
    const rows = [...this.rows.values()].filter(({ requests }) => requests > 0);
    const errors = await writeInChunks(this.database, 'usage_history', rows, async (manager, chunk) => {
      const written = chunk.map((row) => ({ ...row }));
      const sql = `
        INSERT INTO "usage_history" (${KEY_COLUMNS}, "requests") VALUES ${chunk.map(() => '(?, ?, ?, ?, ?, ?)').join()}
        ON CONFLICT (${KEY_COLUMNS}) DO UPDATE SET "requests" = "usage_history"."requests" + excluded."requests"`;
      const values = written.flatMap((row) => Object.values(row));
      await query(manager, sql, values);
      onCommit(() => chunk.forEach((row, index) => (row.requests -= written[index]?.requests ?? 0)));
    });
    // Rows of this hour are kept, for their number, unless there is no room.
    const isFull = this.rows.size >= MOST_ROWS;
    if (isFull) this.rowsOfAccount.clear();
    for (const [name, row] of this.rows)
      if (row.requests === 0 && (isFull || row.hour !== this.hour)) this.rows.delete(name);
    throwErrors([...errors.values()]);
  }
}

/** The outcome of a request that the plan admitted. A limit of its operation can refuse it. */
function outcomeOf(status: number): Outcome {
  if (status < 400) return 'admitted';
  if (status === 429) return 'limited';
  return status < 500 ? 'client_error' : 'server_error';
}
