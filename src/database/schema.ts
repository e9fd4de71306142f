import type { ColumnOptions, EntityManager, MigrationInterface, QueryRunner } from 'typeorm';
import { isPostgres } from './statements.js';

/** The SQL that differs between the databases in a migration. */
export function columnTypes(runner: Pick<EntityManager, 'dataSource'>) {
  const either = (postgres: string, sqlite: string) => (isPostgres(runner) ? postgres : sqlite);
  return {
    /** Primary key that the database assigns and never reuses. */
    id: either('BIGSERIAL PRIMARY KEY', 'INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL'),
    /** Exact in the int64 range. */
    int64: either('BIGINT', 'INTEGER'),
    /** For a property with `TIME_COLUMN`. */
    time: either('BIGINT', 'INTEGER'),
    boolean: either('BOOLEAN', 'INTEGER'),
    /** Sorted by bytes on both databases. */
    text: either('TEXT COLLATE "C"', 'TEXT'),
    /** A `Date` in the entity: for `@CreateDateColumn()`, `@UpdateDateColumn()` and `@DeleteDateColumn()`, which set it. */
    timestamp: either('TIMESTAMP(3) WITH TIME ZONE', 'TEXT'),
    /** The default of a timestamp that is set when a row is inserted. */
    now: either('now()', "(datetime('now'))"),
    /** Primary key of `@PrimaryGeneratedColumn('uuid')`. */
    uuidKey: either('UUID PRIMARY KEY DEFAULT gen_random_uuid()', 'TEXT PRIMARY KEY NOT NULL'),
    uuid: either('UUID', 'TEXT'),
    /** For a property of the type `blob`: a `Buffer`. */
    binary: either('BYTEA', 'BLOB'),
    /** For a property of the type `simple-json`. */
    json: 'TEXT',
    /** An exact decimal. SQLite keeps it as text, so it neither sorts nor adds by value there. */
    decimal: (digits: number, scale: number) => either(`NUMERIC(${digits}, ${scale})`, 'TEXT'),
    /** Follows the columns of a table. On SQLite it is `STRICT`, which refuses other types than these, BLOB and REAL. */
    tableEnd: either('', 'STRICT'),
  };
}

export type ColumnTypes = ReturnType<typeof columnTypes>;

/** A column that is a `Date` in the entity, and Unix time in milliseconds in the database: `@Column({ ...TIME_COLUMN })`. */
export const TIME_COLUMN = {
  type: 'bigint',
  transformer: {
    to: (time: Date | null | undefined) => time?.getTime() ?? time,
    from: (atMs: number | null) => (atMs === null ? null : new Date(atMs)),
  },
} as const satisfies ColumnOptions;

/**
 * Creates indexes. PostgreSQL builds them while others write, which is possible outside of transactions only. One that failed
 * before is replaced.
 */
export abstract class IndexMigration implements MigrationInterface {
  readonly transaction = false;
  /** Table, columns and condition of each index, by its name. */
  abstract readonly indexes: Readonly<Record<string, string>>;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, on] of Object.entries(this.indexes)) {
      if (isPostgres(runner)) await dropIndex(runner, name);
      await changeIndex(runner, (concurrently) => `CREATE INDEX ${concurrently} "${name}" ON ${on}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(this.indexes)) await dropIndex(runner, name);
  }
}

function dropIndex(runner: QueryRunner, name: string): Promise<void> {
  return changeIndex(runner, (concurrently) => `DROP INDEX ${concurrently} IF EXISTS "${name}"`);
}

/** PostgreSQL waits for older transactions, and nothing waits for it, so there is no limit to that. */
async function changeIndex(runner: QueryRunner, sql: (concurrently: string) => string): Promise<void> {
  // TypeORM reverts a migration in a transaction, whatever `transaction` says.
  await runner.query(sql(isPostgres(runner) && !runner.isTransactionActive ? 'CONCURRENTLY' : ''));
}
