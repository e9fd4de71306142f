import { ConfigError } from '../config/load-env.js';

/** A Redis that is not one for the counters of this service. */
export class UnusableRedisError extends ConfigError {
  static ofMode(mode: 'cluster' | 'sentinel'): UnusableRedisError {
    return new UnusableRedisError(
      mode === 'cluster'
        ? 'REDIS_URL names a Redis Cluster, which cannot keep the counters. Name a single Redis server.'
        : 'REDIS_URL names a Redis Sentinel, which cannot keep the counters. Write redis+sentinel://host:port,host:port/master-name.',
    );
  }

  /** @param key that has the owner */
  static ofPrefix(prefix: string, key: string): UnusableRedisError {
    return new UnusableRedisError(
      `The keys ${prefix}* in Redis belong to another database: set REDIS_PREFIX to a prefix of its own for this one, or delete those keys, ${key} among them, if the other database is gone for good.`,
    );
  }
}

/** Replies to every command, or to every write: a server that starts, follows another one, is full or busy, or has no quorum. */
const OUTAGES: ReadonlySet<string> = new Set([
  'BUSY',
  'CLUSTERDOWN',
  'LOADING',
  'MASTERDOWN',
  'MISCONF',
  'NOAUTH',
  'NOREPLICAS',
  'OOM',
  'READONLY',
  'WRONGPASS',
]);

/** Whether other commands would fail too. What is no reply is about the connection. */
export function isOutage({ name, message }: Error): boolean {
  return name !== 'ReplyError' || OUTAGES.has(message.split(' ', 1)[0] ?? '');
}
