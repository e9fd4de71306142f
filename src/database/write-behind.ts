import type { EntityManager } from 'typeorm';
import { throwErrors, writeInChunks } from './chunks.js';
import type { Database } from './database.js';
import { onCommit } from './transaction.js';

/** Changes by key that a task writes to the database later, because a write per request would cost too much. */
export class WriteBehind<Key extends string | number, Change> {
  private changes = new Map<Key, Change>();

  /**
   * @param capacity most keys, in case changes cannot be written; those of more keys are lost
   * @param merge an earlier change of a key with a later one
   */
  constructor(
    private readonly table: string,
    private readonly capacity = Infinity,
    private readonly merge = (_earlier: Change, later: Change) => later,
  ) {}

  add(key: Key, change: Change): void {
    const earlier = this.changes.get(key);
    if (earlier !== undefined) this.changes.set(key, this.merge(earlier, change));
    else if (this.changes.size < this.capacity) this.changes.set(key, change);
  }

  /**
   * Writes the changes, ordered by key in each chunk, so that all instances lock rows in the same order. What fails is kept.
   * @throws (rejects) AggregateError with the errors of changes that cannot be written, or DomainError `service_unavailable`
   */
  async write(
    database: Database,
    writeChunk: (manager: EntityManager, chunk: readonly [Key, Change][]) => Promise<unknown>,
  ): Promise<void> {
    const taken = this.changes;
    this.changes = new Map();
    const writing = writeInChunks(database, this.table, [...taken], async (manager, chunk) => {
      const sorted = chunk.toSorted(([one], [other]) => (one < other ? -1 : 1));
      await writeChunk(manager, sorted);
      onCommit(() => chunk.forEach(([key]) => taken.delete(key)));
    });
    const errors = await writing.finally(() => {
      const later = this.changes;
      this.changes = taken;
      for (const [key, change] of later) this.add(key, change);
    });
    throwErrors([...errors.values()]);
  }
}
