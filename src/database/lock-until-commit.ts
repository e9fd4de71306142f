import type { EntityManager } from 'typeorm';

/**
 * Lets one transaction at a time go on from here, over all instances, until it ends. What they number after it is
 * numbered in the order in which it becomes visible. SQLite has one writer anyway.
 * @param name what is locked, such as a table
 */
export async function lockUntilCommit(manager: EntityManager, name: string): Promise<void> {
  if (!hasManyWriters(manager)) return;
  await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lockName(name)]);
}

/**
 * Takes the same lock without waiting for it.
 * @returns `false` where another transaction has it
 */
export async function tryLockUntilCommit(manager: EntityManager, name: string): Promise<boolean> {
  if (!hasManyWriters(manager)) return true;
  const [row] = await manager.query<{ locked: boolean }[]>('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS "locked"', [lockName(name)]);
  return row?.locked === true;
}

function hasManyWriters({ dataSource }: EntityManager): boolean {
  return dataSource.options.type === 'postgres';
}

function lockName(name: string): string {
  return `petstore ${name}`;
}
