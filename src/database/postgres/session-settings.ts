import type { ClientBase } from 'pg';

/**
 * What the service relies on, as PostgreSQL's own defaults are, but for compiled statements, which short ones never gain from.
 * A database or a role can have others: they would refuse writes, fail concurrent ones, end statements and connections, slow
 * them down, or write values in other forms.
 */
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
 * Makes sessions independent of the defaults of their database and role. Not in the startup message, because poolers refuse
 * connections with settings there.
 * @param statementMs limit of a statement; 0 for none
 * @param idleInTransactionMs limit of a pause in a transaction; 0 for none
 */
export function prepareSession(statementMs: number, idleInTransactionMs: number) {
  return async (client: ClientBase): Promise<void> => {
    // First, because the default may be too short for the other settings.
    await client.query(`SET statement_timeout = ${statementMs}`);
    const settings = { ...SETTINGS, idle_in_transaction_session_timeout: String(idleInTransactionMs) };
    await client.query(SET, [JSON.stringify(settings)]);
  };
}
