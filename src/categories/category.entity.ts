import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A name for an identifier that pets use. */
@Entity({ name: 'categories' })
export class CategoryEntity {
  /** An int64 in decimal, as a JavaScript number would round it. */
  @PrimaryColumn({ type: 'integer' })
  id!: string;

  @Column({ type: 'text' })
  name!: string;
}
