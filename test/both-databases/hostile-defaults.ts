import { PostgresTestDatabase } from '../support/servers/postgres-test-database.js';

/** Of the database. */
const OF_DATABASE = {
  TimeZone: 'Asia/Kathmandu',
  DateStyle: 'German',
  IntervalStyle: 'sql_standard',
  bytea_output: 'escape',
  client_encoding: 'LATIN1',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  extra_float_digits: '-15',
};

/** Of the role in this database, which it has rather than those of the database. */
const OF_ROLE = {
  default_transaction_isolation: 'serializable',
  default_transaction_read_only: 'on',
  default_transaction_deferrable: 'on',
  synchronous_commit: 'off',
  statement_timeout: '300',
  lock_timeout: '1',
  idle_in_transaction_session_timeout: '100',
  // Shorter than the service needs for its first statement on a busy machine, it would forbid every connection.
  idle_session_timeout: '10000',
  row_security: 'off',
  enable_indexscan: 'off',
  jit_above_cost: '0',
  jit_optimize_above_cost: '0',
  jit_inline_above_cost: '0',
  plan_cache_mode: 'force_generic_plan',
};

/** Gives a new database the most hostile defaults that PostgreSQL allows. It has no tables yet. */
export async function makeHostile(database: PostgresTestDatabase): Promise<void> {
  await database.createEmpty();
  await database.query('CREATE SCHEMA elsewhere');
  const name = new URL(database.url).pathname.slice(1);
  for (const [setting, value] of Object.entries(OF_DATABASE)) await database.set(`${setting} = '${value}'`);
  await database.set('search_path = elsewhere, public');
  const settings = Object.entries(OF_ROLE).map(
    ([setting, value]) => `ALTER ROLE CURRENT_USER IN DATABASE "${name}" SET ${setting} = '${value}'`,
  );
  // In one session, because the next one is read-only.
  await database.query(settings.join(';'));
}
