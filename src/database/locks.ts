import type { EntityManager } from 'typeorm';
import { isPostgres } from './statements.js';
import { transactionOfCaller } from './transaction.js';

/** `NO KEY UPDATE` to change rows; `KEY SHARE` so that they are not removed; `UPDATE` to remove them. */
export type RowLock = 'UPDATE' | 'NO KEY UPDATE' | 'KEY SHARE';

/** Locks the rows that a SELECT finds in a table until the transaction ends. Empty for SQLite: it has one writer. */
export function forUpdate(manager: Pick<EntityManager, 'dataSource'>, table: string, lock: RowLock = 'UPDATE'): string {
  return isPostgres(manager) ? ` FOR ${lock} OF "${table}"` : '';
}

const lockKey = (name: string) => `hashtextextended('petstore ' || ${name}, 0)`;

/**
 * Lets one transaction at a time continue, over all instances, until it ends. Identifiers that are assigned after it become
 * visible in ascending order. Does nothing on SQLite, which has one writer.
 * @throws (rejects) Error outside of a transaction
 */
export async function lockUntilCommit(manager: EntityManager, name: string): Promise<void> {
  checkInTransaction(manager);
  if (isPostgres(manager)) await manager.query(`SELECT pg_advisory_xact_lock(${lockKey('$1')})`, [name]);
}

/** Takes the same lock without waiting, and returns `false` if another transaction has it. */
export async function tryLockUntilCommit(manager: EntityManager, name: string): Promise<boolean> {
  checkInTransaction(manager);
  if (!isPostgres(manager)) return true;
  const sql = `SELECT pg_try_advisory_xact_lock(${lockKey('$1')}) AS "locked"`;
  const [row] = await manager.query<{ locked: boolean }[]>(sql, [name]);
  return row?.locked === true;
}

function checkInTransaction({ queryRunner }: EntityManager): void {
  if (queryRunner?.isTransactionActive !== true && transactionOfCaller() === undefined)
    throw new Error('A lock until the commit needs a transaction.');
}

/** A condition that takes the same lock within a statement, and always holds. The name must not be from a request. */
export function isLockedUntilCommit(manager: Pick<EntityManager, 'dataSource'>, name: string): string {
  return isPostgres(manager) ? `pg_advisory_xact_lock(${lockKey(`'${name}'`)}) IS NOT NULL` : 'TRUE';
}
