import type { Caller } from '../auth/index.js';
import type { Clock, Env } from '../config/index.js';
import type { Database } from '../database/index.js';
import { MemoryCounterStore } from './memory/memory-counter-store.js';
import { persistedTables } from './persistence/counter-rows.js';
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
  const subjects = callers.flatMap(({ accountId, keyId }) => [`account:${accountId}`, `key:${keyId}`, keyId]);
  await database.read(async (manager) => {
    for (const table of persistedTables(store)) await table.load(manager, [...new Set(subjects)], clock.nowSeconds());
  });
  return callers.map((caller) => store.peek(caller));
}
