import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntityManager, ObjectLiteral } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { chunksOf, type Database } from '../../database/index.js';
import type { BoundedTable, TableEntry } from '../memory/bounded-table.js';

/** Number of rows that one statement reads. */
const PAGE_ROWS = 1_000;

/** Writes that fail are retried, so they need not wait long and delay the shutdown. */
const PATIENCE = { lockWaitMs: 1_000 };

/** A table in memory and its rows in the database. */
export abstract class PersistedTable<Entry extends TableEntry, Row extends ObjectLiteral> {
  /** @param prefix of the primary keys of its rows, followed by the key of the entry */
  constructor(
    private readonly table: BoundedTable<Entry>,
    private readonly entity: new () => Row,
    private readonly primaryKey: keyof Row & string,
    protected readonly prefix: string,
  ) {}

  protected abstract toRow(entry: Entry): QueryDeepPartialEntity<Row>;

  protected abstract fromRow(row: Row): Entry;

  /** Writes the changes since the last call. If it fails, the next call writes them. */
  async writeChanges(database: Database): Promise<void> {
    const metadata = database.getMetadata(this.entity);
    const columns = metadata.columns.map(({ databaseName }) => databaseName);
    const keyColumns = metadata.primaryColumns.map(({ databaseName }) => databaseName);
    const changes = [...this.table.takeChanges()];
    try {
      for (const chunk of chunksOf(changes)) {
        const rows = chunk.flatMap(([, entry]) => (entry === undefined ? [] : [this.toRow(entry)]));
        const removed = chunk.flatMap(([key, entry]) => (entry === undefined ? [this.prefix + key] : []));
        await database.write(async (manager) => {
          // `upsert` would take twice as long.
          const insert = manager.createQueryBuilder().insert().into(this.entity).updateEntity(false).values(rows);
          if (rows.length > 0) await insert.orUpdate(columns, keyColumns).execute();
          if (removed.length > 0) await manager.delete(this.entity, removed);
        }, PATIENCE);
        // Statements on SQLite are synchronous: without this, all chunks would run in one turn of the event loop.
        await nextTurn();
      }
    } catch (error) {
      this.table.putBack(changes);
      throw error;
    }
  }

  /** Fills an empty table, and deletes rows that have ended. */
  async restore(database: Database, nowSeconds: number): Promise<void> {
    const key = `row.${this.primaryKey}`;
    for (let after: unknown = ''; after !== undefined; await nextTurn()) {
      const rows = await database.read((manager) =>
        manager
          .createQueryBuilder(this.entity, 'row')
          .where(`${key} > :after AND ${key} LIKE :pattern`, { after, pattern: `${this.prefix}%` })
          .orderBy(key)
          .limit(PAGE_ROWS)
          .getMany(),
      );
      const expired = rows.filter((row) => {
        const entry = this.fromRow(row);
        if (entry.isOver(nowSeconds)) return true;
        this.table.add(entry, nowSeconds);
        return false;
      });
      if (expired.length > 0) await database.write((manager) => manager.remove(expired));
      after = rows.at(-1)?.[this.primaryKey];
    }
  }

  /** Adds the entries of some of its rows. */
  async load(manager: EntityManager, primaryKeys: readonly string[], nowSeconds: number): Promise<void> {
    for (const chunk of chunksOf(primaryKeys.filter((primaryKey) => primaryKey.startsWith(this.prefix)))) {
      const rows = manager
        .createQueryBuilder(this.entity, 'row')
        .where(`row.${this.primaryKey} IN (:...chunk)`, { chunk });
      for (const row of await rows.getMany()) this.table.add(this.fromRow(row), nowSeconds);
    }
  }
}
