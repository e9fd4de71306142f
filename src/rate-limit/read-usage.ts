import type { Caller } from '../auth/index.js';
import type { Clock, Env } from '../config/index.js';
import type { Database } from '../database/index.js';
import { persistedUsage } from './persistence/persisted-usage.js';
import { peekOnce } from './redis/peek-once.js';
import type { UsageReport } from './windows/decision.js';

/** What another process needs to read the counters of the service. */
export interface CounterSources {
  readonly env: Env;
  readonly clock: Clock;
  readonly database: Database;
}

/**
 * Reads the counters in another process: from Redis, or without Redis from the database, to which the service writes them
 * every second.
 */
export function readUsage(
  { env, clock, database }: CounterSources,
  callers: readonly Caller[],
): Promise<UsageReport[]> {
  const { REDIS_URL, REDIS_PREFIX } = env;
  return REDIS_URL === undefined
    ? persistedUsage(database, clock, env, callers)
    : peekOnce(REDIS_URL, REDIS_PREFIX, callers);
}
