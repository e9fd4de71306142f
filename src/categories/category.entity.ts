import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Change } from '../kernel.js';

/** A name for an identifier that pets use. */
@Entity({ name: 'categories' })
export class CategoryEntity {
  /** An int64: a number, or decimal digits where a number would be rounded. */
  @PrimaryColumn({ type: 'integer' })
  id!: number | string;

  @Column({ type: 'text' })
  name!: string;
}

/** The events of categories. Identifiers are decimal digits. */
export interface CategoryEvents {
  'category.created': Change<undefined, CategoryEntity>;
  'category.changed': Change<CategoryEntity, CategoryEntity>;
}

declare module '../kernel.js' {
  interface EventMap extends CategoryEvents {}
}
