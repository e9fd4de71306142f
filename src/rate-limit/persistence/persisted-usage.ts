import type { EntityManager, ObjectLiteral } from 'typeorm';
import type { Caller } from '../../auth/index.js';
import type { Clock, Env } from '../../config/index.js';
import { chunksOf, type Database } from '../../database/index.js';
import type { TableEntry } from '../memory/bounded-table.js';
import { MemoryCounterStore } from '../memory/memory-counter-store.js';
import type { UsageReport } from '../windows/decision.js';
import { banTable, type PersistedTable, usageTables } from './counter-rows.js';

/** The usage of callers as a service without Redis has last written it. */
export async function persistedUsage(
  database: Database,
  clock: Clock,
  env: Env,
  callers: readonly Caller[],
): Promise<UsageReport[]> {
  const store = new MemoryCounterStore(clock, env);
  const nowSeconds = clock.nowSeconds();
  const subjects = new Set(callers.flatMap(({ accountId, keyId }) => [`account:${accountId}`, `key:${keyId}`]));
  await database.read(async (manager) => {
    for (const table of usageTables(store)) {
      const primaryKeys = [...subjects].filter((subject) => subject.startsWith(table.prefix));
      await load(manager, table, primaryKeys, nowSeconds);
    }
    const keyIds = callers.map(({ keyId }) => keyId);
    await load(manager, banTable(store), keyIds, nowSeconds);
  });
  return callers.map((caller) => store.peek(caller));
}

async function load<Entry extends TableEntry, Row extends ObjectLiteral>(
  manager: EntityManager,
  { table, entity, primaryKey, fromRow }: PersistedTable<Entry, Row>,
  primaryKeys: readonly string[],
  nowSeconds: number,
): Promise<void> {
  for (const chunk of chunksOf(primaryKeys)) {
    const rows = manager.createQueryBuilder(entity, 'row').where(`row.${primaryKey} IN (:...chunk)`, { chunk });
    for (const row of await rows.getMany()) table.add(fromRow(row), nowSeconds);
  }
}
