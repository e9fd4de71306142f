import pg, { type CustomTypesConfig, type PoolConfig, types } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { Env } from '../config/index.js';
import type { DatabaseParts } from './database-parts.js';
import { MIGRATIONS } from './migrations/index.js';
import { PostgresClient } from './postgres-client.js';

/** Time that the answer to a statement which the server cancelled has to arrive, in milliseconds. */
const CANCEL_MARGIN_MS = 100;
/**
 * How much longer than a statement the service may leave a transaction alone, in milliseconds. What else an instance that
 * hangs waits for is cancelled by then, so that it does not get the next lock when it loses one.
 */
const IDLE_MARGIN_MS = 1_000;

/** How long a server that says nothing is waited for when the service starts, in milliseconds. */
const START_TIMEOUT_MS = 10_000;

/** The pool that requests use: nobody waits longer in it than the settings say, whatever state the server is in. */
export function poolOptions(databaseUrl: string, env: Env, parts: DatabaseParts): DataSourceOptions {
  return postgresOptions(databaseUrl, parts, {
    max: env.DATABASE_POOL_SIZE,
    connectionTimeoutMillis: env.DATABASE_POOL_WAIT_MS,
    statement_timeout: env.DATABASE_STATEMENT_TIMEOUT_MS,
    // A server that hangs can't cancel anything: then the client has to give up.
    query_timeout: env.DATABASE_STATEMENT_TIMEOUT_MS + CANCEL_MARGIN_MS,
    // An instance that hangs must not keep its locks from the others.
    idle_in_transaction_session_timeout: env.DATABASE_STATEMENT_TIMEOUT_MS + IDLE_MARGIN_MS,
    // Statements that a transaction asks for at once go out at once, and are done one after the other.
    pipeline: true,
  });
}

/** One connection for migrations, which may take as long as they need. */
export function migrationOptions(databaseUrl: string, parts: DatabaseParts): DataSourceOptions {
  return postgresOptions(databaseUrl, parts, { max: 1, connectionTimeoutMillis: START_TIMEOUT_MS });
}

function postgresOptions(databaseUrl: string, parts: DatabaseParts, pool: PoolConfig): DataSourceOptions {
  return {
    type: 'postgres',
    // TypeORM would look for it outside of the bundle, and load it once more.
    driver: pg,
    entities: [...parts.entities],
    migrations: [...MIGRATIONS, ...(parts.migrations ?? [])],
    logging: false,
    installExtensions: false,
    // A connection that is lost while idle is replaced when it is needed; there is nothing to tell.
    poolErrorHandler: () => undefined,
    extra: { ...pool, Client: PostgresClient, connectionString: databaseUrl, application_name: 'petstore', keepAlive: true, types: { getTypeParser } },
  };
}

/** Reads an int8 as a number where one holds it exactly; the driver's own choice is text. */
const getTypeParser: CustomTypesConfig['getTypeParser'] = (oid, format) =>
  Number(oid) === types.builtins.INT8 && format !== 'binary' ? parseInt8 : types.getTypeParser(oid, format);

function parseInt8(digits: string): number | string {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : digits;
}
