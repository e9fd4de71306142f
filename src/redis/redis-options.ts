import { isIP } from 'node:net';
import type { RedisOptions } from 'ioredis';

/** Time from a lost connection to the next attempt, in milliseconds. */
const RECONNECT_DELAY_MS = 250;
/** Timeout for connecting, including TLS, in milliseconds. */
const CONNECT_TIMEOUT_MS = 1_000;
const KEEP_ALIVE_MS = 10_000;

/**
 * Options for a client that neither queues nor repeats commands: without a connection they fail at once, and the caller uses
 * its fallback.
 * @param url `redis://` or `rediss://`, with user, password and database number if they are needed
 */
export function redisOptions(url: string): RedisOptions & { readonly db: number } {
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: Number(port === '' ? 6379 : port),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    db: Number(pathname.slice(1)),
    ...(protocol === 'rediss:' ? { tls: isIP(host) === 0 ? { servername: host } : {} } : {}),
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // RedisClient checks more: that Redis accepts writes in time.
    enableReadyCheck: false,
    disableClientInfo: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: 0,
    keepAlive: KEEP_ALIVE_MS,
    retryStrategy: () => RECONNECT_DELAY_MS,
    // After a failover, the name resolves to another server.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  };
}
