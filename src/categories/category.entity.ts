import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A name for an identifier that pets use. */
@Entity({ name: 'categories' })
export class CategoryEntity {
  /** An int64: a number, or decimal digits where a number would be rounded. */
  @PrimaryColumn({ type: 'integer' })
  id!: number | string;

  @Column({ type: 'text' })
  name!: string;
}
