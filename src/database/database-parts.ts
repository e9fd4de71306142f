import type { MigrationInterface } from 'typeorm';

/** What a feature adds to the database. */
export interface DatabaseParts {
  readonly entities: readonly (new () => object)[];
  /** Run in the order of the timestamps in their names, together with the service's own. */
  readonly migrations?: readonly (new () => MigrationInterface)[];
}
