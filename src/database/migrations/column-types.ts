import type { QueryRunner } from 'typeorm';

/** How a migration that serves both databases spells what they spell differently. */
export interface ColumnTypes {
  /** Primary key that the database counts up, never twice the same. */
  readonly id: string;
  /** Exact over the whole range of an int64. */
  readonly int64: string;
  /** What stands behind the columns of a table. */
  readonly tableEnd: string;
}

const SQLITE: ColumnTypes = { id: 'INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL', int64: 'INTEGER', tableEnd: 'STRICT' };
const POSTGRES: ColumnTypes = { id: 'BIGSERIAL PRIMARY KEY', int64: 'BIGINT', tableEnd: '' };

export function columnTypes(runner: QueryRunner): ColumnTypes {
  return runner.dataSource.options.type === 'postgres' ? POSTGRES : SQLITE;
}
