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

/** The number of pets of a category, changed in the transaction that changes the pets. The category need not exist. */
@Entity({ name: 'category_counts' })
export class CategoryCountEntity {
  /** An int64: a number, or decimal digits where a number would be rounded. */
  @PrimaryColumn({ type: 'integer', name: 'category_id' })
  categoryId!: number | string;

  @Column({ type: 'integer' })
  available!: number;

  @Column({ type: 'integer' })
  pending!: number;

  @Column({ type: 'integer' })
  sold!: number;

  /** Pets without a status. */
  @Column({ type: 'integer' })
  none!: number;
}
