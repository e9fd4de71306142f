import type { EntityManager } from 'typeorm';
import { isPostgres } from './dialect.js';

/**
 * Lets one transaction at a time continue, over all instances, until it ends. Identifiers that are assigned after it become
 * visible in ascending order. Does nothing on SQLite, which has one writer.
 * @param name of the lock, such as a table
 */
export async function lockUntilCommit(manager: EntityManager, name: string): Promise<void> {
  if (!isPostgres(manager)) return;
  await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lockName(name)]);
}

/**
 * Takes the same lock without waiting.
 * @returns `false` if another transaction has it
 */
export async function tryLockUntilCommit(manager: EntityManager, name: string): Promise<boolean> {
  if (!isPostgres(manager)) return true;
  const [row] = await manager.query<{ locked: boolean }[]>(
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS "locked"',
    [lockName(name)],
  );
  return row?.locked === true;
}

function lockName(name: string): string {
  return `petstore ${name}`;
}
