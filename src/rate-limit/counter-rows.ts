import { BanRecord } from './ban-record.js';
import type { KeyBan } from './key-ban.entity.js';
import type { RowFormat } from './row-format.js';
import { Usage } from './usage.js';
import type { Key } from './table-entry.js';
import type { UsageWindow } from './usage-window.entity.js';

export const SUBJECTS = {
  accounts: 'account:',
  addresses: 'address:',
  accountsOverflow: 'accounts-overflow:',
  addressesOverflow: 'addresses-overflow:',
} as const;

export type SubjectPrefix = (typeof SUBJECTS)[keyof typeof SUBJECTS];

const PREFIXES: readonly SubjectPrefix[] = Object.values(SUBJECTS);

/** Rows of `UsageWindow` whose subject begins with `prefix`. */
export function usageRows(prefix: SubjectPrefix): RowFormat<Usage> {
  return {
    table: 'usage_windows',
    columns: ['subject', 'minute_start', 'minute_used', 'day_start', 'day_used'],
    key: (key) => prefix + key,
    values: (usage) => [usage.minuteStartSeconds, usage.minuteUsed, usage.dayStartSeconds, usage.dayUsed],
  };
}

/** Rows of `KeyBan`. */
export const BAN_ROWS: RowFormat<BanRecord> = {
  table: 'key_bans',
  columns: ['key_id', 'strikes_start', 'strikes', 'banned_until', 'ban_starts'],
  key: String,
  values: (record) => [
    record.strikesStartSeconds,
    record.strikes,
    record.bannedUntilSeconds,
    record.banStartsSeconds.join(' '),
  ],
};

/** Splits the subject of a row; undefined when it isn't one of this service. */
export function parseSubject(subject: string): { readonly prefix: SubjectPrefix; readonly key: Key } | undefined {
  const prefix = PREFIXES.find((candidate) => subject.startsWith(candidate));
  if (prefix === undefined) return undefined;
  const rest = subject.slice(prefix.length);
  return { prefix, key: prefix === SUBJECTS.addresses ? rest : Number(rest) };
}

export function readUsage(row: UsageWindow, key: Key): Usage {
  const usage = new Usage(key);
  usage.minuteStartSeconds = row.minuteStart;
  usage.minuteUsed = row.minuteUsed;
  usage.dayStartSeconds = row.dayStart;
  usage.dayUsed = row.dayUsed;
  return usage;
}

export function readBan(row: KeyBan): BanRecord {
  const record = new BanRecord(row.keyId);
  record.strikesStartSeconds = row.strikesStart;
  record.strikes = row.strikes;
  record.bannedUntilSeconds = row.bannedUntil;
  record.banStartsSeconds = row.banStarts === '' ? [] : row.banStarts.split(' ').map(Number);
  return record;
}
