import type { MigrationInterface } from 'typeorm';

/** The entities and migrations of a feature. */
export interface DatabaseParts {
  readonly entities: readonly (new () => object)[];
  /** Run together with the service's own, ordered by the timestamps in their names. */
  readonly migrations?: readonly (new () => MigrationInterface)[];
}

/** The database if DATABASE_URL is not set. */
export const EMBEDDED_DATABASE_URL = 'sqlite:data/petstore.sqlite';

/** Whether a DATABASE_URL names a PostgreSQL server; all others name SQLite files. */
export function isPostgresUrl(databaseUrl: string): boolean {
  return /^postgres(ql)?:/.test(databaseUrl);
}
