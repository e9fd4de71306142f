import type { MigrationInterface } from 'typeorm';
import type { Env } from '../platform/config/env.js';
import { MIGRATIONS } from './migrations/index.js';

export interface DatabaseParts {
  readonly entities: readonly (new () => object)[];
  /** Run together with the service's own, ordered by the timestamps in their names. */
  readonly migrations?: readonly (new () => MigrationInterface)[];
}

/** The URL of the database. By default each environment has a file, because it refuses the keys of the other. */
export function databaseUrlOf({ DATABASE_URL, ENVIRONMENT }: Env): string {
  return DATABASE_URL ?? `sqlite:data/petstore${ENVIRONMENT === 'staging' ? '-staging' : ''}.sqlite`;
}

export function isPostgresUrl(databaseUrl: string): boolean {
  return /^postgres(ql)?:/.test(databaseUrl);
}

export function commonOptions({ entities, migrations = [] }: DatabaseParts) {
  return {
    entities: [...entities],
    migrations: [...MIGRATIONS, ...migrations],
    migrationsTransactionMode: 'each' as const,
    logging: false,
  };
}
