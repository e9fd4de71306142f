import { Entity, PrimaryColumn } from 'typeorm';

/** One row, which tells the database from all others. A restored copy has the same. */
@Entity({ name: 'database_identity' })
export class DatabaseIdentity {
  /** A UUID. */
  @PrimaryColumn({ type: 'text' })
  id!: string;
}
