import { connect } from 'node:net';
import { Client, type ClientBase, type ClientConfig, type CustomTypesConfig } from 'pg';
import { type PoolConfig, type QueryResult, types } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { IsolationLevel } from 'typeorm/driver/types/IsolationLevel.js';
import type { Env } from '../../platform/config/env.js';
import { currentSecret } from '../../platform/config/load-env.js';
import { commonOptions, type DatabaseParts } from '../database-options.js';
import { exactNumber } from '../statements.js';
import { PortableDriver } from './portable-driver.js';

/** From the statement timeout until the client gives up. */
const QUERY_MARGIN_MS = 500;
/** From the statement timeout until an idle transaction is ended: by then, a hanging instance cannot get the next lock. */
const IDLE_MARGIN_MS = 1_000;
/** How long a server can take to receive that a statement is to end. */
const CANCEL_TIMEOUT_MS = 10_000;
/** How long the start waits for a silent server. */
const START_TIMEOUT_MS = 10_000;

/** The pool for requests: waits are bounded by the settings, whatever state the server is in. */
export function poolOptions(databaseUrl: string, env: Env, parts: DatabaseParts): DataSourceOptions {
  const currentUrl = () => currentSecret(env, 'DATABASE_URL') ?? databaseUrl;
  return postgresOptions(databaseUrl, parts, {
    Client: clientFor(currentUrl),
    max: env.DATABASE_POOL_SIZE,
    connectionTimeoutMillis: env.DATABASE_TIMEOUT_MS,
    // A server that hangs cannot cancel a statement, so the client has a timeout too. It closes the connection.
    query_timeout: env.DATABASE_TIMEOUT_MS + QUERY_MARGIN_MS,
    // An instance that hangs must release its locks.
    onConnect: prepareSession(env.DATABASE_TIMEOUT_MS, env.DATABASE_TIMEOUT_MS + IDLE_MARGIN_MS),
    // Concurrent statements of a query runner are pipelined and run one after the other.
    pipeline: true,
  });
}

/** A connection for migrations, and one that holds their lock, without time limits. */
export function migrationOptions(databaseUrl: string, parts: DatabaseParts): DataSourceOptions {
  const pool = { max: 2, connectionTimeoutMillis: START_TIMEOUT_MS, onConnect: prepareSession(0, 0) };
  return postgresOptions(databaseUrl, parts, pool);
}

function postgresOptions(databaseUrl: string, parts: DatabaseParts, pool: PoolConfig): DataSourceOptions {
  return {
    ...commonOptions(parts),
    type: 'postgres',
    installExtensions: false,
    // Its `gen_random_uuid` is a part of PostgreSQL since version 13.
    uuidExtension: 'pgcrypto',
    // A connection that is lost while idle is replaced when needed; nothing to log.
    poolErrorHandler: () => undefined,
    extra: {
      Client: PostgresClient,
      ...pool,
      connectionString: databaseUrl,
      application_name: 'petstore',
      keepAlive: true,
      types: { getTypeParser },
    },
  };
}

export class PostgresClient extends Client {
  /** Whether a pooler may give each statement or transaction another session, which it gives to others too. */
  isPooled = false;
  /** Assigned by the server, or by the pooler. Missing in pg's types, like the next one. */
  declare readonly processID: number | null;
  declare private readonly secretKey: number | null;

  constructor(config: ClientConfig = {}) {
    super(config);
    // Node ends the process on an error without a listener, and a connection that changes hands has none for a moment.
    this.on('error', () => undefined);
  }

  /** A pooler makes up the process, because that of the server changes. */
  async findPooler(): Promise<boolean> {
    // The default timeout may be too short. Several statements in one message have several results, which pg's types omit.
    const answer: unknown = await this.query(
      'BEGIN; SET LOCAL statement_timeout = 0; SELECT pg_backend_pid() AS "pid"; COMMIT',
    );
    const [, , found] = answer as QueryResult<{ pid: number }>[];
    this.isPooled = found?.rows[0]?.pid !== this.processID;
    return this.isPooled;
  }

  /** Asks the server to end the statement in progress, with an error. Nothing happens if there is none. */
  cancelStatement(): void {
    const { host, port, processID, secretKey } = this;
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    // CancelRequest: its length, its code, and whose statement it is.
    const request = Buffer.alloc(16);
    for (const [index, word] of [16, 80_877_102, processID ?? 0, secretKey ?? 0].entries())
      request.writeInt32BE(word | 0, 4 * index);
    socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy());
    // The server closes it. PgBouncer 1.18 crashes if the client does so before.
    socket
      .on('error', () => undefined)
      .unref()
      .write(request);
  }
}

/** Each connection has the user and the password of its time. */
function clientFor(currentUrl: () => string) {
  return class extends PostgresClient {
    constructor(config: ClientConfig = {}) {
      super({ ...config, connectionString: currentUrl() });
    }
  };
}

/** Parses an int8 to a number if that is exact; the driver's default is text. */
const getTypeParser: CustomTypesConfig['getTypeParser'] = (oid, format) =>
  Number(oid) === types.builtins.INT8 && format !== 'binary' ? exactNumber : types.getTypeParser(oid, format);

/** A data source on PostgreSQL, not open yet, for migrations and the command line. */
export function postgresDataSource(options: DataSourceOptions): DataSource {
  const dataSource = new DataSource(options);
  dataSource.driver = new PortableDriver(dataSource);
  return dataSource;
}

/** PostgreSQL's own defaults, but for `jit`, which short statements never gain from. A database or a role can have others. */
const SETTINGS = {
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  lock_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
  jit: 'off',
  plan_cache_mode: 'auto',
  enable_indexscan: 'on',
  enable_sort: 'on',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  bytea_output: 'hex',
  extra_float_digits: '1',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
};

/** Older servers do not know all settings. Without `synchronous_commit`, a crash would lose acknowledged writes. */
const SET = `
  SELECT set_config("name", "value", false) FROM json_each_text($1) AS "settings" ("name", "value")
    WHERE current_setting("name", true) IS NOT NULL
  UNION ALL SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`;

/**
 * Not in the startup message, because poolers refuse connections with settings there. What is set here would stay with a
 * session of a pooler, so there it is left as it is. 0 means no limit.
 */
function prepareSession(statementMs: number, idleInTransactionMs: number) {
  return async (client: ClientBase): Promise<void> => {
    if (client instanceof PostgresClient && (await client.findPooler())) return;
    // First, because the default may be too short for the other settings.
    await client.query(`SET statement_timeout = ${statementMs}`);
    const settings = { ...SETTINGS, idle_in_transaction_session_timeout: String(idleInTransactionMs) };
    await client.query(SET, [JSON.stringify(settings)]);
  };
}

/** Statements that set the timeouts of a transaction. */
export function localTimeouts(statementMs: number, idleInTransactionMs: number): string {
  return `SET LOCAL statement_timeout = ${statementMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionMs}`;
}

/** Begins the transaction of a request. Behind a pooler, it has all settings that it needs with it. */
export function beginStatement(isolation: IsolationLevel, { DATABASE_TIMEOUT_MS }: Env, isPooled: boolean): string {
  // Whatever the default of the database is.
  const begin = `BEGIN ISOLATION LEVEL ${isolation} READ WRITE`;
  if (!isPooled) return begin;
  const timeouts = localTimeouts(DATABASE_TIMEOUT_MS, DATABASE_TIMEOUT_MS + IDLE_MARGIN_MS);
  return `${begin}; SET LOCAL lock_timeout = 0; ${timeouts}`;
}
