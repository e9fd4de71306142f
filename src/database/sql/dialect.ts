import type { EntityManager } from 'typeorm';

/** An entity manager, or a query runner. */
type Connected = Pick<EntityManager, 'dataSource'>;

export function isPostgres({ dataSource }: Connected): boolean {
  return dataSource.options.type === 'postgres';
}

/**
 * Sorts and compares a text column by bytes, as SQLite does. PostgreSQL uses the collation of the database, in which `B` may
 * come after `a`.
 */
export function byBytes(connected: Connected, column: string): string {
  return isPostgres(connected) ? `${column} COLLATE "C"` : column;
}

/**
 * Locks the rows that a SELECT finds in a table until the transaction ends. Empty for SQLite, which has one writer.
 */
export function forUpdate(connected: Pick<EntityManager, 'dataSource'>, table: string): string {
  return isPostgres(connected) ? ` FOR UPDATE OF "${table}"` : '';
}
