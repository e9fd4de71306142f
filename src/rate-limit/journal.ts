import { type Key, type TableEntry, UNCHANGED } from './table-entry.js';

/** Most departed keys that are remembered while the database is away; rows of the others go at the next start. */
const MAX_DEPARTED = 50_000;

/** What has changed in a table since it was last written down: a queue of entries, and the keys that left. */
export class Journal<Entry extends TableEntry> {
  /** Those before `head` were taken. */
  private changed: Entry[] = [];
  private head = 0;
  private departed = new Set<Key>();

  /** Number of entries to be written. */
  get size(): number {
    return this.changed.length - this.head;
  }

  /** Notes that an entry of the table is to be written; once, however often it changes before. */
  note(entry: Entry): void {
    if (entry.journalIndex === UNCHANGED) entry.journalIndex = this.changed.push(entry) - 1;
  }

  /** Notes that a key came into the table: its row must not be deleted any more. */
  arrive(key: Key): void {
    if (this.departed.size > 0) this.departed.delete(key);
  }

  /** Notes that an entry leaves the table, and lets go of it. */
  depart(entry: Entry): void {
    this.departWithKey(entry.key);
    const index = entry.journalIndex;
    if (index < 0) return;
    const last = this.changed.pop();
    if (last === undefined || last === entry) return;
    this.changed[index] = last;
    last.journalIndex = index;
  }

  /** Takes the entries that wait longest. */
  takeChanged(most: number): Entry[] {
    const taken = this.changed.slice(this.head, this.head + most);
    for (const entry of taken) entry.journalIndex = UNCHANGED;
    this.head += taken.length;
    if (this.head * 2 >= this.changed.length) this.compact();
    return taken;
  }

  /** Takes all keys whose rows are to be deleted. */
  takeDeparted(): Key[] {
    const taken = [...this.departed];
    this.departed = new Set();
    return taken;
  }

  /** Takes back keys whose rows could not be deleted. */
  putBack(keys: readonly Key[]): void {
    for (const key of keys) this.departWithKey(key);
  }

  private departWithKey(key: Key): void {
    if (this.departed.size < MAX_DEPARTED) this.departed.add(key);
  }

  private compact(): void {
    this.changed = this.changed.slice(this.head);
    this.head = 0;
    this.changed.forEach((entry, index) => (entry.journalIndex = index));
  }
}
