import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many pets name a category, changed in the transaction that changes the pets. A category need not exist for it. */
@Entity({ name: 'category_counts' })
export class CategoryCountEntity {
  /** An int64 in decimal, as a JavaScript number would round it. */
  @PrimaryColumn({ type: 'integer', name: 'category_id' })
  categoryId!: string;

  @Column({ type: 'integer' })
  available!: number;

  @Column({ type: 'integer' })
  pending!: number;

  @Column({ type: 'integer' })
  sold!: number;

  /** Those without a status. */
  @Column({ type: 'integer' })
  none!: number;
}
