import type { QueryRunner } from 'typeorm';
import { isPostgres } from '../statements.js';

/**
 * Creates an index. PostgreSQL builds it while others write, which is possible outside of transactions only: the migration
 * needs `transaction = false`. One that failed before is replaced.
 * @param on the table, the columns and the condition
 */
export async function createIndex(runner: QueryRunner, name: string, on: string): Promise<void> {
  if (!isPostgres(runner)) {
    await runner.query(`CREATE INDEX "${name}" ON ${on}`);
    return;
  }
  await runner.query(`DROP INDEX IF EXISTS "${name}"`);
  await runner.query(`CREATE INDEX CONCURRENTLY "${name}" ON ${on}`);
}
