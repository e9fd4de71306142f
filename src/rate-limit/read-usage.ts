import type { Caller } from '../auth/index.js';
import type { Clock, Env } from '../config/index.js';
import type { Database } from '../database/index.js';
import { persistedUsage } from './persistence/persisted-usage.js';
import { peekOnce } from './redis/peek-once.js';
import type { UsageReport } from './windows/decision.js';

/** What another process than the service needs to read the counters. */
export interface CounterSources {
  readonly env: Env;
  readonly clock: Clock;
  readonly database: Database;
}

/**
 * Reads the counters from outside of the service: those in Redis, or without it what the service last wrote to the
 * database, which lags about a second behind.
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
