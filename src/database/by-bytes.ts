import type { EntityManager } from 'typeorm';

/**
 * A text column as SQLite sorts it and compares it: by its bytes. PostgreSQL does so in the language of the database,
 * where `B` may come after `a`.
 */
export function byBytes({ dataSource }: EntityManager, column: string): string {
  return dataSource.options.type === 'postgres' ? `${column} COLLATE "C"` : column;
}
