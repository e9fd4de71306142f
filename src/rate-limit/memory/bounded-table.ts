import { crc32 } from 'node:zlib';

export type Key = number | string;

/** One subject's state in a bounded table. Kept small: there may be a million. */
export abstract class TableEntry {
  constructor(readonly key: Key) {}

  /** Whether nothing of it counts any more. */
  abstract isOver(nowSeconds: number): boolean;
}

/** An entry that can stand for several subjects, and is then at least as strict as each of them. */
export abstract class MergeableEntry<Self> extends TableEntry {
  /** Takes the higher count and the later window of both. */
  abstract absorb(other: Self, nowSeconds: number): void;
}

/** Entries that changed, by key; undefined for those that left the table. */
export type Changes<Entry> = Map<Key, Entry | undefined>;

export interface BoundedTableOptions<Entry extends TableEntry> {
  /** Most entries that are held. */
  readonly capacity: number;
  /** Makes the entry of a subject that is not in the table. */
  readonly create: (key: Key, nowSeconds: number) => Entry;
  /** Keeps what must not be lost when a full table parts with an entry that still counts. */
  readonly onEvict?: (entry: Entry, nowSeconds: number) => void;
  /** Whether `takeChanges` is called now and then. */
  readonly tracksChanges?: boolean;
}

/**
 * Entries by key, in bounded memory. A clock hand goes round: it drops entries that are over, and evicts the one that it
 * points at when there is no room.
 */
export class BoundedTable<Entry extends TableEntry> {
  private readonly entries = new Map<Key, Entry>();
  private hand = this.entries.values();
  private changes: Changes<Entry> = new Map();

  constructor(private readonly options: BoundedTableOptions<Entry>) {}

  get size(): number {
    return this.entries.size;
  }

  get(key: Key): Entry | undefined {
    return this.entries.get(key);
  }

  /** The entry of a key; a new one is not in the table until it is kept. */
  find(key: Key, nowSeconds: number): Entry {
    return this.get(key) ?? this.options.create(key, nowSeconds);
  }

  /** Notes that an entry changed; a new one comes into the table, for which another may have to leave. */
  keep(entry: Entry, nowSeconds: number): void {
    this.add(entry, nowSeconds);
    if (this.options.tracksChanges) this.changes.set(entry.key, entry);
  }

  /** Takes in an entry that is written down already. */
  add(entry: Entry, nowSeconds: number): void {
    if (this.entries.has(entry.key)) return;
    if (this.entries.size >= this.options.capacity) this.evict(nowSeconds);
    this.entries.set(entry.key, entry);
  }

  /** Drops entries that are over, looking at `steps` of them at most. */
  sweep(steps: number, nowSeconds: number): void {
    for (let left = Math.min(steps, this.entries.size); left > 0; left--) {
      const entry = this.next();
      if (entry?.isOver(nowSeconds)) this.remove(entry);
    }
  }

  /** Takes what has changed since the last time. */
  takeChanges(): Changes<Entry> {
    const { changes } = this;
    this.changes = new Map();
    return changes;
  }

  /** Takes back changes that could not be written; later ones of the same keys stay. */
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
    // While they can't be written, changes must not grow without end.
    if (tracksChanges && this.changes.size < capacity) this.changes.set(key, undefined);
  }

  private next(): Entry | undefined {
    const { done, value } = this.hand.next();
    if (done !== true) return value;
    this.hand = this.entries.values();
    return this.hand.next().value;
  }
}

export interface QuotaTableOptions<Entry extends MergeableEntry<Entry>> extends Omit<
  BoundedTableOptions<Entry>,
  'onEvict'
> {
  /** Number of counters that the subjects beyond the capacity share. */
  readonly shared: number;
}

/**
 * A bounded table in which nobody gains quota by leaving it and coming back. What subjects that had to leave have used
 * stays in a fixed number of counters, which strangers share by hash.
 */
export class QuotaTable<Entry extends MergeableEntry<Entry>> extends BoundedTable<Entry> {
  readonly overflow: BoundedTable<Entry>;

  constructor({ shared, ...options }: QuotaTableOptions<Entry>) {
    const overflow = new BoundedTable({ ...options, capacity: shared });
    const counterOf = (key: Key) => crc32(String(key)) % shared;
    super({
      ...options,
      create: (key, nowSeconds) => {
        const entry = options.create(key, nowSeconds);
        const counter = overflow.size === 0 ? undefined : overflow.get(counterOf(key));
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
