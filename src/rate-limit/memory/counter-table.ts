import { LRUCache } from 'lru-cache';
import { WriteBehind } from '../../database/write-behind.js';

export type Key = number | string;

/** The windows or the bans of one subject. It must be small, as there can be a million. */
export interface Counter {
  isOpen(nowSeconds: number): boolean;
}

/** Counters by subject, in bounded memory. A full table removes the counter that was not used for longest. */
export class CounterTable<Entry extends Counter> {
  private readonly entries: LRUCache<Key, Entry>;

  /** The keys of counters that were changed or removed, if the table is persisted. */
  readonly changes: WriteBehind<Key, true> | undefined;

  constructor(capacity: number, isPersisted = false) {
    this.changes = isPersisted ? new WriteBehind('counters', capacity) : undefined;
    this.entries = new LRUCache<Key, Entry>({
      // With `max`, the cache would allocate memory for all counters at once.
      maxSize: capacity,
      sizeCalculation: () => 1,
      dispose: (_counter, key) => this.changes?.add(key, true),
    });
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: Key): Entry | undefined {
    return this.entries.get(key);
  }

  /** The counter, without marking it as used. */
  peek(key: Key): Entry | undefined {
    return this.entries.peek(key);
  }

  /** Records a change of a counter, and adds a new one to the table. */
  set(key: Key, counter: Entry): void {
    this.add(key, counter);
    this.changes?.add(key, true);
  }

  /** Adds a counter that is persisted already. */
  add(key: Key, counter: Entry): void {
    if (!this.entries.has(key)) this.entries.set(key, counter);
  }

  /** Removes counters that have ended, beginning with the one that was not used for longest; at most so many. */
  sweep(most: number, nowSeconds: number): void {
    for (let left = most; left > 0; left--) {
      const [oldest] = this.entries.rkeys();
      if (oldest === undefined || this.peek(oldest)?.isOpen(nowSeconds) !== false) return;
      this.entries.delete(oldest);
    }
  }

  clear(): void {
    this.entries.clear();
  }
}
