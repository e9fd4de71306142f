import type { EntityManager } from 'typeorm';

/**
 * What ends a SELECT whose rows of a table nobody else may change until the transaction ends. SQLite has one writer
 * anyway.
 */
export function forUpdate(manager: EntityManager, table: string): string {
  return manager.dataSource.options.type === 'postgres' ? ` FOR UPDATE OF "${table}"` : '';
}
