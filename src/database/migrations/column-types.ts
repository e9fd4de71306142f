import type { QueryRunner } from 'typeorm';
import { isPostgres } from '../statements.js';

/** The SQL that differs between the databases in a migration. */
export interface ColumnTypes {
  /** Primary key that the database assigns and never reuses. */
  readonly id: string;
  /** Exact in the int64 range. */
  readonly int64: string;
  /** Follows the columns of a table. */
  readonly tableEnd: string;
}

const SQLITE: ColumnTypes = { id: 'INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL', int64: 'INTEGER', tableEnd: 'STRICT' };
const POSTGRES: ColumnTypes = { id: 'BIGSERIAL PRIMARY KEY', int64: 'BIGINT', tableEnd: '' };

export function columnTypes(runner: QueryRunner): ColumnTypes {
  return isPostgres(runner) ? POSTGRES : SQLITE;
}
