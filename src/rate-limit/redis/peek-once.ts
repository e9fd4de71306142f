import type { Caller } from '../../auth/index.js';
import { AutoPipeliner } from '../../redis/index.js';
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
  let reason: string | undefined;
  const pipe = new AutoPipeliner(url, TIMEOUT_MS, {
    onBegin: () => undefined,
    onClose: (why) => (reason = why),
  });
  const peek = async (caller: Caller) => {
    const { keys, args } = ofCaller(prefix, '', caller);
    return usageReport(await pipe.send('eval', [PEEK.source, keys.length, ...keys, ...args]), caller.limits);
  };
  try {
    await pipe.connect();
    await pipe.selectDatabase();
    return await Promise.all(callers.map(peek));
  } catch (error) {
    throw new Error(`Redis, which has the counts, cannot be read: ${reason ?? (error as Error).message}`, {
      cause: error,
    });
  } finally {
    pipe.close();
  }
}
