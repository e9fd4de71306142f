import type { EntityManager, ObjectLiteral } from 'typeorm';
import type { Caller } from '../auth/index.js';
import type { Clock, Env } from '../config/index.js';
import { chunksOf, type Database } from '../database/index.js';
import type { TableEntry } from './memory/bounded-table.js';
import { MemoryCounterStore } from './memory/memory-counter-store.js';
import { banTable, type PersistedTable, usageTables } from './persistence/counter-rows.js';
import { peekOnce } from './redis/peek-once.js';
import type { UsageReport } from './windows/decision.js';

/**
 * Reads the counters in another process: from Redis, or without Redis from the database, to which the service writes them
 * every second.
 */
export async function readUsage(
  env: Env,
  clock: Clock,
  database: Database,
  callers: readonly Caller[],
): Promise<UsageReport[]> {
  const { REDIS_URL, REDIS_PREFIX } = env;
  if (REDIS_URL !== undefined) return peekOnce(REDIS_URL, REDIS_PREFIX, callers);
  const store = new MemoryCounterStore(clock, env);
  const nowSeconds = clock.nowSeconds();
  const subjects = new Set(callers.flatMap(({ accountId, keyId }) => [`account:${accountId}`, `key:${keyId}`]));
  const keyIds = callers.map(({ keyId }) => keyId);
  await database.read(async (manager) => {
    for (const table of usageTables(store)) {
      const primaryKeys = [...subjects].filter((subject) => subject.startsWith(table.prefix));
      await load(manager, table, primaryKeys, nowSeconds);
    }
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
