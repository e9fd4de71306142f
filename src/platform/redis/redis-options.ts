import { isIP } from 'node:net';
import type { Redis, RedisOptions } from 'ioredis';
import { SENTINEL_URL } from '../config/setting-checks.js';
import { UnusableRedisError } from './redis-failures.js';

const RECONNECT_DELAY_MS = 500;
/** Including TLS. */
export const CONNECT_TIMEOUT_MS = 1_000;
const KEEP_ALIVE_MS = 10_000;

const UNUSABLE_MODES: Readonly<Record<string, string>> = {
  cluster: 'REDIS_URL names a Redis Cluster, which cannot keep the counters. Name a single Redis server.',
  sentinel:
    'REDIS_URL names a Redis Sentinel, which cannot keep the counters. Write redis+sentinel://host:port,host:port/master-name.',
};

function serverOptions(url: string): RedisOptions {
  const sentinel = SENTINEL_URL.exec(url)?.groups;
  if (sentinel !== undefined) {
    const { user = '', password = '', hosts = '', name = '', database = '0' } = sentinel;
    const sentinels = hosts.split(',').map((one) => {
      const [host = '', port] = one.split(':');
      return { host, port: Number(port) };
    });
    const credentials = { username: decodeURIComponent(user), password: decodeURIComponent(password) };
    const retry = () => RECONNECT_DELAY_MS;
    return { sentinels, name, db: Number(database), sentinelRetryStrategy: retry, ...(password !== '' && credentials) };
  }
  const { protocol, hostname } = new URL(url);
  const isIpAddress = isIP(hostname) !== 0 || hostname.startsWith('[');
  // Node does not tell the server the name of the host (SNI) by itself.
  return protocol === 'rediss:' && !isIpAddress ? { tls: { servername: hostname } } : {};
}

/** Options for a client that neither queues nor repeats commands: without a connection they fail at once. */
export function redisOptions(url: string, commandTimeout: number): RedisOptions {
  return {
    ...serverOptions(url),
    lazyConnect: true,
    commandTimeout,
    // With automatic pipelining, one batch waits for the one before it, and a request takes half as much processor time
    // again.
    enableAutoPipelining: false,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // `check` does more: Redis must accept writes in time.
    enableReadyCheck: false,
    disableClientInfo: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: 0,
    keepAlive: KEEP_ALIVE_MS,
    retryStrategy: () => RECONNECT_DELAY_MS,
  };
}

/** @throws (rejects) UnusableRedisError if the server is part of a cluster or a Sentinel, or the error of the server */
export async function checkServer(redis: Redis): Promise<void> {
  // A user of Redis may lack the right to ask.
  const info = await redis.info('server').catch((error: Error) => {
    if (error.message.startsWith('NOPERM')) return '';
    throw error;
  });
  const [, mode = ''] = /^redis_mode:(\w+)/m.exec(info) ?? [];
  const reason = UNUSABLE_MODES[mode];
  if (reason !== undefined) throw new UnusableRedisError(reason);
  // The client would use another database if this one does not exist.
  await redis.select(redis.options.db ?? 0);
}
