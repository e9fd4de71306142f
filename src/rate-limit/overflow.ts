import { hash } from './hash.js';
import { Journal } from './journal.js';
import { type Key, type MergeableEntry, UNCHANGED } from './table-entry.js';

/**
 * What subjects that had to leave a full table have used: not theirs exactly any more, but never less. A fixed number
 * of buckets that strangers share by hash, so that neither memory nor quota can be had by coming with many names.
 */
export class Overflow<Entry extends MergeableEntry<Entry>> {
  readonly journal = new Journal<Entry>();
  private readonly buckets = new Map<number, Entry>();

  /**
   * @param size number of buckets
   * @param create makes an empty bucket
   */
  constructor(
    private readonly size: number,
    private readonly create: (index: number) => Entry,
  ) {}

  /** Keeps the state of an entry that leaves the table. */
  absorb(entry: Entry, nowSeconds: number): void {
    const bucket = this.bucket(this.indexOf(entry.key));
    bucket.absorb(entry, nowSeconds);
    this.journal.note(bucket);
  }

  /** Gives an entry that comes into the table the state which it may have had. */
  seed(entry: Entry, nowSeconds: number): void {
    if (this.buckets.size === 0) return;
    const bucket = this.buckets.get(this.indexOf(entry.key));
    if (bucket !== undefined) entry.absorb(bucket, nowSeconds);
  }

  /** The bucket with this number, made when it's needed first. */
  bucket(index: number): Entry {
    let bucket = this.buckets.get(index);
    if (bucket === undefined) {
      bucket = this.create(index);
      bucket.journalIndex = UNCHANGED;
      this.buckets.set(index, bucket);
    }
    return bucket;
  }

  private indexOf(key: Key): number {
    // Without a secret seed, as rows of buckets must mean the same after a restart.
    return hash(key, 0) % this.size;
  }
}
