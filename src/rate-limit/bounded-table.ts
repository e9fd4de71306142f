import { randomInt } from 'node:crypto';
import { hash } from './hash.js';
import type { Journal } from './journal.js';
import { ABSENT, type Key, type TableEntry, UNCHANGED } from './table-entry.js';

/** A Map that grows moves all its entries at once; parts of this size do so in a fraction of a millisecond. */
const SHARD_ENTRIES = 4_096;
/** How many entries are looked at to find the one that a full table parts with. */
const SAMPLE_SIZE = 4;

export interface BoundedTableOptions<Entry extends TableEntry> {
  /** Most entries that are held. */
  readonly capacity: number;
  /** Makes the entry of a subject that is not in the table. */
  readonly create: (key: Key, nowSeconds: number) => Entry;
  /** Keeps what must not be lost when a full table parts with an entry that still counts. */
  readonly onEvict?: (entry: Entry, nowSeconds: number) => void;
  /** Hears of every change, for a table that is written down. */
  readonly journal?: Journal<Entry>;
}

/**
 * Entries by key, in bounded memory and with every operation in constant time.
 * A hand goes round over all entries: it drops those that are over, and finds the one to part with when there is no room.
 */
export class BoundedTable<Entry extends TableEntry> {
  private readonly shards: Map<Key, Entry>[];
  private readonly mask: number;
  /** Secret, so that nobody can choose keys that all fall into one part. */
  private readonly seed = randomInt(2 ** 32);
  private handShard = 0;
  private hand: Iterator<Entry, unknown>;
  private count = 0;

  constructor(private readonly options: BoundedTableOptions<Entry>) {
    const shardCount = 2 ** Math.max(0, Math.ceil(Math.log2(options.capacity / SHARD_ENTRIES)));
    this.mask = shardCount - 1;
    this.shards = Array.from({ length: shardCount }, () => new Map());
    this.hand = this.shard(0).values();
  }

  get size(): number {
    return this.count;
  }

  get(key: Key): Entry | undefined {
    return this.shardOf(key).get(key);
  }

  /** The entry of a key; a new one is not in the table until it is kept. */
  find(key: Key, nowSeconds: number): Entry {
    return this.get(key) ?? this.options.create(key, nowSeconds);
  }

  /** Notes that an entry changed; a new one comes into the table, for which another may have to leave. */
  keep(entry: Entry, nowSeconds: number): void {
    if (entry.journalIndex === ABSENT) this.add(entry, nowSeconds);
    this.options.journal?.note(entry);
  }

  /** Takes in an entry that needs no writing down. */
  add(entry: Entry, nowSeconds: number): void {
    if (this.count >= this.options.capacity) this.makeRoom(nowSeconds);
    this.shardOf(entry.key).set(entry.key, entry);
    this.count += 1;
    entry.journalIndex = UNCHANGED;
    this.options.journal?.arrive(entry.key);
  }

  /** Drops entries that are over, looking at `steps` of them at most. */
  sweep(steps: number, nowSeconds: number): void {
    for (let left = Math.min(steps, this.count + this.shards.length); left > 0; left--) {
      const entry = this.step();
      if (entry?.isOver(nowSeconds)) this.remove(entry);
    }
  }

  private makeRoom(nowSeconds: number): void {
    let lightest: Entry | undefined;
    for (let seen = 0; seen < SAMPLE_SIZE; ) {
      const entry = this.step();
      if (entry === undefined) continue;
      if (entry.isOver(nowSeconds)) {
        this.remove(entry);
        return;
      }
      if (lightest === undefined || entry.weight < lightest.weight) lightest = entry;
      seen += 1;
    }
    if (lightest === undefined) return;
    this.options.onEvict?.(lightest, nowSeconds);
    this.remove(lightest);
  }

  private remove(entry: Entry): void {
    this.shardOf(entry.key).delete(entry.key);
    this.count -= 1;
    this.options.journal?.depart(entry);
    entry.journalIndex = ABSENT;
  }

  /** Moves the hand to the next entry; undefined where one shard ends and the next begins. */
  private step(): Entry | undefined {
    const next = this.hand.next();
    if (next.done !== true) return next.value;
    this.handShard = (this.handShard + 1) & this.mask;
    this.hand = this.shard(this.handShard).values();
    return undefined;
  }

  private shardOf(key: Key): Map<Key, Entry> {
    return this.shard(hash(key, this.seed) & this.mask);
  }

  private shard(index: number): Map<Key, Entry> {
    return (this.shards[index] ??= new Map());
  }
}
