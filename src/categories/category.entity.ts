import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A name for an identifier that pets use. */
@Entity({ name: 'categories' })
export class CategoryEntity {
  /** Decimal digits of an int64, which a JavaScript number would round. */
  @PrimaryColumn({ type: 'integer' })
  id!: string;

  @Column({ type: 'text' })
  name!: string;
}

/** The number of pets of a category, changed in the transaction that changes the pets. The category need not exist. */
@Entity({ name: 'category_counts' })
export class CategoryCountEntity {
  /** Decimal digits of an int64, which a JavaScript number would round. */
  @PrimaryColumn({ type: 'integer', name: 'category_id' })
  categoryId!: string;

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
