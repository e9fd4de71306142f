import { BoundedTable } from './bounded-table.js';
import type { Journal } from './journal.js';
import { Overflow } from './overflow.js';
import type { Key, MergeableEntry } from './table-entry.js';

export interface QuotaTableOptions<Entry extends MergeableEntry<Entry>> {
  /** Most subjects that are counted one by one at the same time. */
  readonly capacity: number;
  /** Number of counters that the subjects beyond share. */
  readonly shared: number;
  readonly create: (key: Key) => Entry;
  readonly journal?: Journal<Entry>;
}

/** A bounded table in which nobody gains quota by leaving it and coming back. */
export class QuotaTable<Entry extends MergeableEntry<Entry>> extends BoundedTable<Entry> {
  readonly overflow: Overflow<Entry>;

  constructor({ shared, create, ...options }: QuotaTableOptions<Entry>) {
    const overflow = new Overflow(shared, create);
    super({
      ...options,
      create: (key, nowSeconds) => {
        const entry = create(key);
        overflow.seed(entry, nowSeconds);
        return entry;
      },
      onEvict: (entry, nowSeconds) => overflow.absorb(entry, nowSeconds),
    });
    this.overflow = overflow;
  }
}
