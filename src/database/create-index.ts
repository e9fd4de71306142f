import type { QueryRunner } from 'typeorm';
import { isPostgres, query } from './statements.js';

/**
 * Creates an index. PostgreSQL builds it while others write, which is possible outside of transactions only: the migration
 * needs `transaction = false`. One that failed before is replaced.
 * @param on the table, the columns and the condition
 */
export async function createIndex(runner: QueryRunner, name: string, on: string): Promise<void> {
  if (isPostgres(runner)) await dropIndex(runner, name);
  await changeIndex(runner, (concurrently) => `CREATE INDEX ${concurrently} "${name}" ON ${on}`);
}

/** Deletes an index, if it exists. Needs `transaction = false` too. */
export function dropIndex(runner: QueryRunner, name: string): Promise<void> {
  return changeIndex(runner, (concurrently) => `DROP INDEX ${concurrently} IF EXISTS "${name}"`);
}

/**
 * PostgreSQL waits for older transactions, and nothing waits for it meanwhile, so the lock timeout of migrations would only
 * make it begin again.
 */
async function changeIndex(runner: QueryRunner, sql: (concurrently: string) => string): Promise<void> {
  if (!isPostgres(runner)) return void (await runner.query(sql('')));
  const [before] = await query<{ timeout: string }>(
    runner.manager,
    `SELECT current_setting('lock_timeout') AS "timeout"`,
  );
  await runner.query('SET lock_timeout = 0');
  try {
    await runner.query(sql('CONCURRENTLY'));
  } finally {
    await runner.query(`SET lock_timeout = '${before?.timeout}'`);
  }
}
