import { isIP } from 'node:net';
import type { RedisOptions } from 'ioredis';

/** From a lost connection to the next attempt. */
const RECONNECT_DELAY_MS = 250;
/** Longest time for the connection itself, TLS included. */
const CONNECT_TIMEOUT_MS = 1_000;
const KEEP_ALIVE_MS = 10_000;

/**
 * Settings for a client that never queues a command and never repeats one: whoever asks is told at once that Redis
 * can't be asked, and has another way.
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
    // RedisClient checks more than these do: that Redis takes writes, in time.
    enableReadyCheck: false,
    disableClientInfo: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: 0,
    keepAlive: KEEP_ALIVE_MS,
    retryStrategy: () => RECONNECT_DELAY_MS,
    // After a failover the name stands for another server.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  };
}
