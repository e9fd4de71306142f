import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../database/index.js';
import type { Journal } from './journal.js';
import { deleteRows, type RowFormat, writeRows } from './row-format.js';
import { ABSENT, type TableEntry } from './table-entry.js';

/** Rows in one statement: some 0.5 ms, and well below SQLite's 32,766 parameters. */
const BATCH_ROWS = 500;

/** What can't be written now is tried again, so nothing has to wait long for it, such as the end of the service. */
const PATIENCE = { lockWaitMs: 1_000 };

/** Writes one journal down. */
export class JournalWriter<Entry extends TableEntry> {
  constructor(
    private readonly journal: Journal<Entry>,
    private readonly format: RowFormat<Entry>,
  ) {}

  /** Writes what has changed so far; what could not be written is in the journal again when this rejects. */
  async write(database: Database): Promise<void> {
    // Deletions first: a key that comes back meanwhile is written after its row was deleted.
    await this.deleteDeparted(database);
    await this.writeChanged(database);
  }

  private async deleteDeparted(database: Database): Promise<void> {
    const keys = this.journal.takeDeparted();
    for (let start = 0; start < keys.length; start += BATCH_ROWS) {
      const rows = keys.slice(start, start + BATCH_ROWS).map(this.format.key);
      try {
        await database.write((manager) => deleteRows(manager, this.format, rows), PATIENCE);
      } catch (error) {
        this.journal.putBack(keys.slice(start));
        throw error;
      }
      await nextTurn();
    }
  }

  private async writeChanged(database: Database): Promise<void> {
    for (let left = this.journal.size; left > 0; left -= BATCH_ROWS) {
      const entries = this.journal.takeChanged(Math.min(left, BATCH_ROWS));
      if (entries.length === 0) return;
      try {
        await database.write((manager) => writeRows(manager, this.format, entries), PATIENCE);
      } catch (error) {
        for (const entry of entries) if (entry.journalIndex !== ABSENT) this.journal.note(entry);
        throw error;
      }
      // Statements on SQLite are synchronous: without this, all batches would run in one turn of the event loop.
      await nextTurn();
    }
  }
}
