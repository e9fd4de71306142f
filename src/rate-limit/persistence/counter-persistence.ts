import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { ObjectLiteral } from 'typeorm';
import { RecurringTask } from '../../background/index.js';
import { Clock } from '../../config/index.js';
import { chunksOf, Database } from '../../database/index.js';
import type { TableEntry } from '../memory/bounded-table.js';
import { MemoryCounterStore } from '../memory/memory-counter-store.js';
import { banTable, type PersistedTable, usageTables } from './counter-rows.js';

/** Interval between writes, in milliseconds. A crash loses the counts of this time and of one write. */
const FLUSH_INTERVAL_MS = 1_000;

/** Number of rows that one statement reads. */
const PAGE_ROWS = 1_000;

/** Writes that fail are retried, so they need not wait long and delay the shutdown. */
const PATIENCE = { lockWaitMs: 1_000 };

/** Keeps windows and bans over a restart: reads them at the start, and writes changes every second. */
@Injectable()
export class CounterPersistence implements OnModuleInit, OnApplicationShutdown {
  private readonly task = new RecurringTask('writing the counters', FLUSH_INTERVAL_MS, () => this.write());

  constructor(
    private readonly database: Database,
    private readonly store: MemoryCounterStore,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    for (const table of usageTables(this.store)) await this.restore(table);
    await this.restore(banTable(this.store));
    this.task.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.task.stop();
    await this.flush();
  }

  /** Writes changes, or joins a write in progress. Never rejects: changes that could not be written are retried. */
  flush(): Promise<void> {
    return this.task.run();
  }

  private async write(): Promise<void> {
    this.store.sweep();
    for (const table of usageTables(this.store)) await this.writeChanges(table);
    await this.writeChanges(banTable(this.store));
  }

  private async writeChanges<Entry extends TableEntry, Row extends ObjectLiteral>({
    table,
    entity,
    prefix,
    toRow,
  }: PersistedTable<Entry, Row>): Promise<void> {
    const metadata = this.database.getMetadata(entity);
    const columns = metadata.columns.map(({ databaseName }) => databaseName);
    const keyColumns = metadata.primaryColumns.map(({ databaseName }) => databaseName);
    const changes = [...table.takeChanges()];
    try {
      for (const chunk of chunksOf(changes)) {
        const rows = chunk.flatMap(([, entry]) => (entry === undefined ? [] : [toRow(entry)]));
        const removed = chunk.flatMap(([key, entry]) => (entry === undefined ? [prefix + key] : []));
        await this.database.write(async (manager) => {
          // `upsert` would take twice as long.
          const insert = manager.createQueryBuilder().insert().into(entity).updateEntity(false).values(rows);
          if (rows.length > 0) await insert.orUpdate(columns, keyColumns).execute();
          if (removed.length > 0) await manager.delete(entity, removed);
        }, PATIENCE);
        // Statements on SQLite are synchronous: without this, all chunks would run in one turn of the event loop.
        await nextTurn();
      }
    } catch (error) {
      table.putBack(changes);
      throw error;
    }
  }

  /** Fills an empty table, and deletes rows that have ended. */
  private async restore<Entry extends TableEntry, Row extends ObjectLiteral>({
    table,
    entity,
    primaryKey,
    prefix,
    fromRow,
  }: PersistedTable<Entry, Row>): Promise<void> {
    const nowSeconds = this.clock.nowSeconds();
    for (let after: unknown = ''; after !== undefined; await nextTurn()) {
      const rows = await this.database.read((manager) =>
        manager
          .createQueryBuilder(entity, 'row')
          .where(`row.${primaryKey} > :after AND row.${primaryKey} LIKE :pattern`, { after, pattern: `${prefix}%` })
          .orderBy(`row.${primaryKey}`)
          .limit(PAGE_ROWS)
          .getMany(),
      );
      const expired = rows.filter((row) => {
        const entry = fromRow(row);
        if (entry.isOver(nowSeconds)) return true;
        table.add(entry, nowSeconds);
        return false;
      });
      if (expired.length > 0) await this.database.write((manager) => manager.remove(expired));
      after = rows.at(-1)?.[primaryKey];
    }
  }
}
