import { crc32 } from 'node:zlib';

export type Key = number | string;

/** The state of one subject in a bounded table. It must be small, as there can be a million. */
export abstract class TableEntry {
  constructor(readonly key: Key) {}

  /** Whether all of its windows and bans have ended. */
  abstract isOver(nowSeconds: number): boolean;
}

/** An entry that several subjects can share. It is at least as strict as each of theirs. */
export abstract class MergeableEntry<Self> extends TableEntry {
  /** Takes the higher count and the later window of the two entries. */
  abstract absorb(other: Self, nowSeconds: number): void;
}

export interface BoundedTableOptions<Entry extends TableEntry> {
  readonly capacity: number;
  /** Creates the entry of a subject that is not in the table. */
  readonly create: (key: Key, nowSeconds: number) => Entry;
  /** Called when a full table evicts an entry that has not ended. */
  readonly onEvict?: (entry: Entry, nowSeconds: number) => void;
  /** Whether `takeChanges` is called regularly. */
  readonly tracksChanges?: boolean;
}

/**
 * Entries by key, in bounded memory. A clock hand moves over the entries. It removes those that have ended, and evicts the
 * next entry if the table is full.
 */
export class BoundedTable<Entry extends TableEntry> {
  private readonly entries = new Map<Key, Entry>();
  private hand = this.entries.values();
  /** Undefined for removed entries. */
  private changes = new Map<Key, Entry | undefined>();

  constructor(private readonly options: BoundedTableOptions<Entry>) {}

  get size(): number {
    return this.entries.size;
  }

  get(key: Key): Entry | undefined {
    return this.entries.get(key);
  }

  /** The entry of a key. A new entry is not in the table until `keep` is called. */
  find(key: Key, nowSeconds: number): Entry {
    return this.get(key) ?? this.options.create(key, nowSeconds);
  }

  /** Records a change of an entry, and adds a new entry to the table, which can evict another. */
  keep(entry: Entry, nowSeconds: number): void {
    this.add(entry, nowSeconds);
    if (this.options.tracksChanges) this.changes.set(entry.key, entry);
  }

  /** Adds an entry that is persisted already. */
  add(entry: Entry, nowSeconds: number): void {
    if (this.entries.has(entry.key)) return;
    if (this.entries.size >= this.options.capacity) this.evict(nowSeconds);
    this.entries.set(entry.key, entry);
  }

  /** Removes entries that have ended; checks at most `steps` entries. */
  sweep(steps: number, nowSeconds: number): void {
    for (let left = Math.min(steps, this.entries.size); left > 0; left--) {
      const entry = this.next();
      if (entry?.isOver(nowSeconds)) this.remove(entry);
    }
  }

  takeChanges(): Map<Key, Entry | undefined> {
    const { changes } = this;
    this.changes = new Map();
    return changes;
  }

  /** Restores changes that could not be written. Later changes of the same keys win. */
  putBack(changes: Iterable<readonly [Key, Entry | undefined]>): void {
    for (const [key, entry] of changes) if (!this.changes.has(key)) this.changes.set(key, entry);
  }

  private evict(nowSeconds: number): void {
    const entry = this.next();
    if (entry === undefined) return;
    if (!entry.isOver(nowSeconds)) this.options.onEvict?.(entry, nowSeconds);
    this.remove(entry);
  }

  private remove({ key }: Entry): void {
    const { capacity, tracksChanges } = this.options;
    this.entries.delete(key);
    this.changes.delete(key);
    // Bounded, in case changes cannot be written.
    if (tracksChanges && this.changes.size < capacity) this.changes.set(key, undefined);
  }

  private next(): Entry | undefined {
    const { done, value } = this.hand.next();
    if (done !== true) return value;
    this.hand = this.entries.values();
    return this.hand.next().value;
  }
}

/**
 * A bounded table in which eviction gives no new quota. The usage of evicted subjects is kept in a fixed number of counters,
 * which subjects share by hash.
 */
export class QuotaTable<Entry extends MergeableEntry<Entry>> extends BoundedTable<Entry> {
  readonly overflow: BoundedTable<Entry>;

  /** @param options with the number of counters that subjects beyond the capacity share */
  constructor({ shared, ...options }: BoundedTableOptions<Entry> & { readonly shared: number }) {
    const overflow = new BoundedTable({ ...options, capacity: shared });
    const counterOf = (key: Key) => crc32(String(key)) % shared;
    super({
      ...options,
      create: (key, nowSeconds) => {
        const entry = options.create(key, nowSeconds);
        const counter = overflow.get(counterOf(key));
        if (counter !== undefined) entry.absorb(counter, nowSeconds);
        return entry;
      },
      onEvict: (entry, nowSeconds) => {
        const counter = overflow.find(counterOf(entry.key), nowSeconds);
        counter.absorb(entry, nowSeconds);
        overflow.keep(counter, nowSeconds);
      },
    });
    this.overflow = overflow;
  }

  override sweep(steps: number, nowSeconds: number): void {
    super.sweep(steps, nowSeconds);
    this.overflow.sweep(steps, nowSeconds);
  }
}
