import type { ObjectLiteral } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import type { BoundedTable, Key, TableEntry } from '../memory/bounded-table.js';
import type { MemoryCounterStore } from '../memory/memory-counter-store.js';
import { BanRecord } from '../windows/ban-record.js';
import { Usage } from '../windows/usage.js';
import { KeyBan } from './key-ban.entity.js';
import { UsageWindow } from './usage-window.entity.js';

/** A table in memory and its rows in the database. */
export interface PersistedTable<Entry extends TableEntry, Row extends ObjectLiteral> {
  readonly table: BoundedTable<Entry>;
  readonly entity: new () => Row;
  readonly primaryKey: keyof Row & string;
  /** Prefix of the primary keys of its rows, followed by the key of the entry. */
  readonly prefix: string;
  readonly toRow: (entry: Entry) => QueryDeepPartialEntity<Row>;
  readonly fromRow: (row: Row) => Entry;
}

export function usageTables({ accounts, addresses, keys }: MemoryCounterStore): PersistedTable<Usage, UsageWindow>[] {
  return [
    usageTable(accounts, 'account:', Number),
    usageTable(addresses, 'address:', String),
    usageTable(keys, 'key:', String),
    usageTable(accounts.overflow, 'accounts-overflow:', Number),
    usageTable(addresses.overflow, 'addresses-overflow:', Number),
  ];
}

function usageTable(
  table: BoundedTable<Usage>,
  prefix: string,
  readKey: (text: string) => Key,
): PersistedTable<Usage, UsageWindow> {
  return {
    table,
    entity: UsageWindow,
    primaryKey: 'subject',
    prefix,
    toRow: ({ key, minute, day }) => ({
      subject: prefix + key,
      minuteStart: minute.startSeconds,
      minuteUsed: minute.used,
      dayStart: day.startSeconds,
      dayUsed: day.used,
    }),
    fromRow: ({ subject, minuteStart, minuteUsed, dayStart, dayUsed }) => {
      const usage = new Usage(readKey(subject.slice(prefix.length)));
      Object.assign(usage.minute, { startSeconds: minuteStart, used: minuteUsed });
      Object.assign(usage.day, { startSeconds: dayStart, used: dayUsed });
      return usage;
    },
  };
}

export function banTable({ bans }: MemoryCounterStore): PersistedTable<BanRecord, KeyBan> {
  return {
    table: bans,
    entity: KeyBan,
    primaryKey: 'keyId',
    prefix: '',
    toRow: ({ key, strikesStartSeconds, strikes, bannedUntilSeconds, banStartsSeconds }) => ({
      keyId: String(key),
      strikesStart: strikesStartSeconds,
      strikes,
      bannedUntil: bannedUntilSeconds,
      banStarts: banStartsSeconds.join(' '),
    }),
    fromRow: ({ keyId, strikesStart, strikes, bannedUntil, banStarts }) =>
      Object.assign(new BanRecord(keyId), {
        strikesStartSeconds: strikesStart,
        strikes,
        bannedUntilSeconds: bannedUntil,
        banStartsSeconds: banStarts === '' ? [] : banStarts.split(' ').map(Number),
      }),
  };
}
