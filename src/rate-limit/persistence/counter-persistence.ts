import { setImmediate as nextTurn } from 'node:timers/promises';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import type { Database } from '../../database/database.js';
import { throwErrors, writeInChunks } from '../../database/chunks.js';
import { existing } from '../../database/statements.js';
import type { Clock } from '../../platform/config/clock.js';
import { RecurringTask } from '../../platform/recurring-task.js';
import type { Counter, CounterTable, Key, MemoryCounterStore } from '../memory/memory-counter-store.js';
import { KeyBan } from './key-ban.entity.js';
import { UsageWindow } from './usage-window.entity.js';

/** A crash loses the counts of this time and of one write. */
const WRITE_INTERVAL_MS = 1_000;

const PAGE_ROWS = 1_000;

type Row<Entry> = { readonly subject: string; toCounter(): Entry };

interface RowEntity<Entry> {
  new (): Row<Entry>;
  of(subject: string, counter: Entry): QueryDeepPartialEntity<Row<Entry>>;
}

class PersistedTable<Entry extends Counter> {
  /**
   * @param prefix of the subjects of its rows, followed by the key of the counter
   * @param owners the table of those who are counted, and who can be deleted
   */
  constructor(
    private readonly table: CounterTable<Entry>,
    private readonly entity: RowEntity<Entry>,
    private readonly prefix: string,
    private readonly readKey: (text: string) => Key = String,
    private readonly owners?: 'accounts' | 'api_keys',
  ) {}

  async write(database: Database): Promise<void> {
    const { columns, primaryColumns } = database.getMetadata(this.entity);
    const namesOf = (some: typeof columns) => some.map(({ databaseName }) => databaseName);
    await this.table.changes?.write(database, async (manager, chunk) => {
      const keys = chunk.map(([key]) => key);
      const owned = this.owners === undefined ? undefined : await existing(manager, this.owners, keys);
      const counterOf = (key: Key) => (owned?.has(key) === false ? undefined : this.table.peek(key));
      const counters = keys.map((key) => ({ subject: this.prefix + key, counter: counterOf(key) }));
      const rows = counters.flatMap(({ subject, counter }) => (counter ? this.entity.of(subject, counter) : []));
      const removed = counters.flatMap(({ subject, counter }) => (counter ? [] : subject));
      // `upsert` would take twice as long.
      const insert = manager.createQueryBuilder().insert().into(this.entity).updateEntity(false).values(rows);
      if (rows.length > 0) await insert.orUpdate(namesOf(columns), namesOf(primaryColumns)).execute();
      if (removed.length > 0) await manager.delete(this.entity, removed);
    });
  }

  /** Fills an empty table, and deletes rows that have ended. */
  async restore(database: Database, nowSeconds: number): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; await nextTurn()) {
      const rows = await database.manager
        .createQueryBuilder(this.entity, 'row')
        .where('row.subject > :after AND row.subject LIKE :pattern', { after, pattern: `${this.prefix}%` })
        .orderBy('row.subject')
        .limit(PAGE_ROWS)
        .getMany();
      const expired = rows.filter((row) => {
        const counter = row.toCounter();
        const hasEnded = counter.hasEnded(nowSeconds);
        if (!hasEnded) this.table.set(this.readKey(row.subject.slice(this.prefix.length)), counter);
        return hasEnded;
      });
      await writeInChunks(database, 'counters', expired, (manager, chunk) => manager.remove([...chunk]));
      after = rows.at(-1)?.subject;
    }
  }
}

/** Keeps windows and bans over a restart: reads them at the start, and writes changes every second. */
export class CounterPersistence extends RecurringTask {
  private readonly tables;

  constructor(
    private readonly database: Database,
    { accounts, addresses, keys, bans }: MemoryCounterStore,
    private readonly clock: Clock,
  ) {
    super('writing the counters', WRITE_INTERVAL_MS, () => this.write(), { runsAtStop: true });
    this.tables = [
      new PersistedTable(accounts, UsageWindow, 'account:', Number, 'accounts'),
      new PersistedTable(addresses, UsageWindow, 'address:'),
      new PersistedTable(keys, UsageWindow, 'key:', String, 'api_keys'),
      new PersistedTable(bans, KeyBan, '', String, 'api_keys'),
    ];
  }

  override async onModuleInit(): Promise<void> {
    const nowSeconds = this.clock.nowSeconds();
    for (const table of this.tables) await table.restore(this.database, nowSeconds);
    super.onModuleInit();
  }

  private async write(): Promise<void> {
    const errors: unknown[] = [];
    for (const table of this.tables)
      await table.write(this.database).catch((error: unknown) => {
        if (!(error instanceof AggregateError)) throw error;
        errors.push(error);
      });
    throwErrors(errors);
  }
}
