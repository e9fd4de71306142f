import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../database/index.js';
import { BAN_ROWS, parseSubject, readBan, readUsage, SUBJECTS, usageRows } from './counter-rows.js';
import { KeyBan } from './key-ban.entity.js';
import type { MemoryCounterStore } from './memory-counter-store.js';
import { deleteRows, type RowFormat } from './row-format.js';
import { UsageWindow } from './usage-window.entity.js';

/** Rows that are read, or deleted, in one statement. */
const PAGE_ROWS = 1_000;

/** Fills an empty store with what was counted before a restart, and deletes what no longer counts. */
export async function restoreCounters(
  database: Database,
  store: MemoryCounterStore,
  nowSeconds: number,
): Promise<void> {
  await eachPage(database, UsageWindow, 'subject', usageRows(SUBJECTS.accounts), (row) =>
    restoreUsage(store, row, nowSeconds),
  );
  await eachPage(database, KeyBan, 'keyId', BAN_ROWS, (row) => restoreBan(store, row, nowSeconds));
}

/** @returns whether the row still counts; rows of an unknown kind are left alone */
function restoreUsage(store: MemoryCounterStore, row: UsageWindow, nowSeconds: number): boolean {
  const subject = parseSubject(row.subject);
  if (subject === undefined) return true;
  const usage = readUsage(row, subject.key);
  if (usage.isOver(nowSeconds)) return false;
  switch (subject.prefix) {
    case SUBJECTS.accounts:
      store.accounts.add(usage, nowSeconds);
      break;
    case SUBJECTS.addresses:
      store.addresses.add(usage, nowSeconds);
      break;
    case SUBJECTS.accountsOverflow:
      store.accounts.overflow.bucket(Number(subject.key)).absorb(usage, nowSeconds);
      break;
    case SUBJECTS.addressesOverflow:
      store.addresses.overflow.bucket(Number(subject.key)).absorb(usage, nowSeconds);
      break;
  }
  return true;
}

function restoreBan(store: MemoryCounterStore, row: KeyBan, nowSeconds: number): boolean {
  const record = readBan(row);
  if (record.isOver(nowSeconds)) return false;
  store.bans.add(record, nowSeconds);
  return true;
}

/** Calls `restore` with every row, and deletes those of which it says that they no longer count. */
async function eachPage<Property extends string, Row extends Record<Property, string>>(
  database: Database,
  entity: new () => Row,
  property: Property,
  format: Pick<RowFormat<never>, 'table' | 'columns'>,
  restore: (row: Row) => boolean,
): Promise<void> {
  let after = '';
  for (;;) {
    const rows = await database.read((manager) =>
      manager
        .createQueryBuilder(entity, 'row')
        .where(`row.${property} > :after`, { after })
        .orderBy(`row.${property}`)
        .limit(PAGE_ROWS)
        .getMany(),
    );
    const expired = rows.filter((row) => !restore(row)).map((row) => row[property]);
    if (expired.length > 0) await database.write((manager) => deleteRows(manager, format, expired));
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last[property];
    await nextTurn();
  }
}
