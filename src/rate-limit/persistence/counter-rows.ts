import type { BoundedTable, Key } from '../memory/bounded-table.js';
import type { MemoryCounterStore } from '../memory/memory-counter-store.js';
import { BanRecord } from '../windows/ban-record.js';
import { Usage } from '../windows/usage.js';
import { KeyBan } from './key-ban.entity.js';
import { PersistedTable } from './persisted-table.js';
import { UsageWindow } from './usage-window.entity.js';

export function persistedTables({ accounts, addresses, keys, bans }: MemoryCounterStore) {
  return [
    new UsageRows(accounts, 'account:', Number),
    new UsageRows(addresses, 'address:', String),
    new UsageRows(keys, 'key:', String),
    new UsageRows(accounts.overflow, 'accounts-overflow:', Number),
    new UsageRows(addresses.overflow, 'addresses-overflow:', Number),
    new BanRows(bans, KeyBan, 'keyId', ''),
  ];
}

class UsageRows extends PersistedTable<Usage, UsageWindow> {
  constructor(
    table: BoundedTable<Usage>,
    prefix: string,
    private readonly readKey: (text: string) => Key,
  ) {
    super(table, UsageWindow, 'subject', prefix);
  }

  protected override toRow({ key, minute, day }: Usage): UsageWindow {
    return {
      subject: this.prefix + key,
      minuteStart: minute.startSeconds,
      minuteUsed: minute.used,
      dayStart: day.startSeconds,
      dayUsed: day.used,
    };
  }

  protected override fromRow({ subject, minuteStart, minuteUsed, dayStart, dayUsed }: UsageWindow): Usage {
    const usage = new Usage(this.readKey(subject.slice(this.prefix.length)));
    Object.assign(usage.minute, { startSeconds: minuteStart, used: minuteUsed });
    Object.assign(usage.day, { startSeconds: dayStart, used: dayUsed });
    return usage;
  }
}

class BanRows extends PersistedTable<BanRecord, KeyBan> {
  protected override toRow(record: BanRecord): KeyBan {
    return {
      keyId: String(record.key),
      strikesStart: record.strikesStartSeconds,
      strikes: record.strikes,
      bannedUntil: record.bannedUntilSeconds,
      banStarts: record.banStartsSeconds.join(' '),
    };
  }

  protected override fromRow({ keyId, strikesStart, strikes, bannedUntil, banStarts }: KeyBan): BanRecord {
    return Object.assign(new BanRecord(keyId), {
      strikesStartSeconds: strikesStart,
      strikes,
      bannedUntilSeconds: bannedUntil,
      banStartsSeconds: banStarts === '' ? [] : banStarts.split(' ').map(Number),
    });
  }
}
