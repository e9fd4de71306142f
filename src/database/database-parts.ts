import type { MigrationInterface } from 'typeorm';

/** The entities and migrations of a feature. */
export interface DatabaseParts {
  readonly entities: readonly (new () => object)[];
  /** Run together with the service's own, ordered by the timestamps in their names. */
  readonly migrations?: readonly (new () => MigrationInterface)[];
}
