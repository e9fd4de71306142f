import { Redis } from 'ioredis';
import type { Caller } from '../../auth/index.js';
import { redisOptions } from '../../redis/index.js';
import type { UsageReport } from '../windows/decision.js';
import { PEEK } from './admission-scripts.js';
import { ofCaller, usageReport } from './caller-usage.js';

/** Longer than that of the service, because no request waits for it. */
const TIMEOUT_MS = 2_000;

/**
 * Reads the counts in Redis, and writes nothing: a `RedisClient` writes to find out whether Redis works.
 * @throws (rejects) Error if Redis is unavailable
 */
export async function peekOnce(url: string, prefix: string, callers: readonly Caller[]): Promise<UsageReport[]> {
  const options = redisOptions(url);
  const redis = new Redis({ ...options, commandTimeout: TIMEOUT_MS, retryStrategy: () => null });
  let reason: string | undefined;
  redis.on('error', ({ message }: Error) => (reason = message));
  try {
    await redis.connect();
    // The client would use another database if this one does not exist.
    await redis.select(options.db);
    const peek = async (caller: Caller) => {
      const { keys, args } = ofCaller(prefix, '', caller);
      return usageReport(await redis.eval(PEEK.source, keys.length, ...keys, ...args), caller.limits);
    };
    return await Promise.all(callers.map(peek));
  } catch (error) {
    throw new Error(`Redis, which has the counts, cannot be read: ${reason ?? (error as Error).message}`, {
      cause: error,
    });
  } finally {
    redis.disconnect();
  }
}
