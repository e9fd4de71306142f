import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../auth/caller.js';
import { Database } from '../../database/database.js';
import { query } from '../../database/statements.js';
import { throwErrors } from '../../database/chunks.js';
import { WriteBehind } from '../../database/write-behind.js';
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

/** In the order of the columns. */
type Row = { accountId: number; hour: number; keyId: string; operation: string; outcome: Outcome; requests: number };

function sum(earlier: Row, { requests }: Row): Row {
  earlier.requests += requests;
  return earlier;
}

/** Records the requests of accounts, except those to operations without quota. Adds them up by hour. */
@Injectable()
export class UsageRecorder extends RecurringTask {
  private readonly rows = new WriteBehind<string, Row>('usage_history', MOST_ROWS, sum);
  /** The names of rows of this hour. */
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
  observeResponses(server: FastifyInstance): void {
    server.addHook('onSend', (request, reply, payload, done) => {
      if (request.caller !== undefined) this.count(request.caller, request, outcomeOf(reply.statusCode));
      done(null, payload);
    });
  }

  count({ accountId, keyId }: Caller, { routeOptions }: FastifyRequest, outcome: Outcome): void {
    const { quota, operation = UNMATCHED_ROUTE } = routeOptions.config;
    if (quota === 'none') return;
    const nowSeconds = this.clock.nowSeconds();
    const hour = nowSeconds - (nowSeconds % HOUR_SECONDS);
    if (hour !== this.hour || this.names.size >= MOST_ROWS) {
      this.names.clear();
      this.namesOfAccount.clear();
    }
    this.hour = hour;
    const row = { accountId, hour, keyId, operation, outcome, requests: 1 };
    const name = `${accountId} ${hour} ${keyId} ${operation} ${outcome}`;
    if (this.hasRoom(accountId, name)) this.rows.add(name, row);
    else this.rows.add(`${accountId} ${hour} ${outcome}`, { ...row, keyId: OTHER, operation: OTHER });
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
    const errors = await this.rows.write(this.database, (manager, chunk) => {
      const sql = `
        INSERT INTO "usage_history" (${KEY_COLUMNS}, "requests") VALUES ${chunk.map(() => '(?, ?, ?, ?, ?, ?)').join()}
        ON CONFLICT (${KEY_COLUMNS}) DO UPDATE SET "requests" = "usage_history"."requests" + excluded."requests"`;
      const values = chunk.flatMap(([, row]) => Object.values(row));
      return query(manager, sql, values);
    });
    throwErrors([...errors]);
  }
}

/** The outcome of a request that the plan admitted. A limit of its operation can refuse it. */
function outcomeOf(status: number): Outcome {
  if (status < 400) return 'admitted';
  if (status === 429) return 'limited';
  return status < 500 ? 'client_error' : 'server_error';
}
