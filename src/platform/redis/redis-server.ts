import { isIP } from 'node:net';
import { Logger } from '@nestjs/common';
import type { Redis, RedisOptions } from 'ioredis';
import { ConfigError } from '../config/load-env.js';
import { messageOf } from '../errors/domain-error.js';
import { CLUSTER_URL, SENTINEL_URL } from '../config/setting.decorators.js';

export const RECONNECT_DELAY_MS = 500;
/** Including TLS. */
export const CONNECT_TIMEOUT_MS = 1_000;
const KEEP_ALIVE_MS = 10_000;

const CLUSTER =
  'REDIS_URL names one server of a Redis Cluster, which cannot keep the counters alone. Write redis+cluster://host:port,host:port, or name an address that routes commands.';
const SENTINEL =
  'REDIS_URL names a Redis Sentinel, which cannot keep the counters. Write redis+sentinel://host:port,host:port/master-name.';
/** Keys of as many slots: one of several servers has hardly all of them. */
const SLOTS_TO_TRY = 32;

/** The user and the password of a URL; empty without a password. */
export function credentialsOf(url: string): Pick<RedisOptions, 'username' | 'password'> {
  const { user = '', password = '' } = (SENTINEL_URL.exec(url) ?? CLUSTER_URL.exec(url))?.groups ?? partsOf(url);
  return password === '' ? {} : { username: decodeURIComponent(user), password: decodeURIComponent(password) };
}

function partsOf(url: string): Readonly<Record<string, string>> {
  const { username: user = '', password = '' } = URL.parse(url) ?? {};
  return { user, password };
}

function serverOptions(url: string): RedisOptions {
  const sentinel = SENTINEL_URL.exec(url)?.groups;
  if (sentinel !== undefined) {
    const { hosts, name = '', database = '0' } = sentinel;
    const retry = () => RECONNECT_DELAY_MS;
    return {
      sentinels: addressesOf(hosts),
      name,
      db: Number(database),
      sentinelRetryStrategy: retry,
      ...credentialsOf(url),
    };
  }
  const { protocol, hostname } = new URL(url);
  return protocol === 'rediss:' ? { tls: tlsOptions(hostname) } : {};
}

/** @param hosts `host:port,host:port` */
export function addressesOf(hosts = ''): { readonly host: string; readonly port: number }[] {
  return hosts.split(',').map((one) => {
    const [host = '', port] = one.split(':');
    return { host, port: Number(port) };
  });
}

/** Node does not tell the server the name of the host (SNI) by itself. */
export function tlsOptions(host: string): { readonly servername?: string } {
  return isIP(host) !== 0 || host.startsWith('[') ? {} : { servername: host };
}

/** Options for a client that neither queues nor repeats commands: without a connection they fail at once. */
export function redisOptions(url: string, commandTimeout: number): RedisOptions {
  return {
    ...serverOptions(url),
    ...commandOptions(commandTimeout),
    enableOfflineQueue: false,
    // `check` does more: Redis must accept writes in time.
    enableReadyCheck: false,
    retryStrategy: () => RECONNECT_DELAY_MS,
  };
}

export function commandOptions(commandTimeout: number): RedisOptions {
  return {
    lazyConnect: true,
    commandTimeout,
    // With it, one batch waits for the one before it, and a request takes half as much processor time again.
    enableAutoPipelining: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    disableClientInfo: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: 0,
    keepAlive: KEEP_ALIVE_MS,
  };
}

/**
 * @param prefix of keys that the client may read
 * @throws (rejects) UnusableRedisError if it is one server of a cluster or a Sentinel, or the error of the server
 */
export async function checkServer(redis: Redis, prefix: string): Promise<void> {
  // A user of Redis may lack the right to ask.
  const info = await redis.info('server').catch((error: Error) => {
    if (error.message.startsWith('NOPERM')) return '';
    throw error;
  });
  const [, mode = ''] = /^redis_mode:(\w+)/m.exec(info) ?? [];
  if (mode === 'sentinel') throw new UnusableRedisError(SENTINEL);
  if (mode === 'cluster') await checkRouting(redis, prefix);
  const { db = 0 } = redis.options;
  // The client would use another database if this one does not exist. Some servers have one only, and refuse the command.
  if (db !== 0) await redis.select(db);
}

/** A proxy in front of a cluster routes all commands, but also says that it is a cluster. */
async function checkRouting(redis: Redis, prefix: string): Promise<void> {
  const keys = Array.from({ length: SLOTS_TO_TRY }, (_, slot) => `${prefix}slot:${slot}`);
  await Promise.all(keys.map((key) => redis.get(key))).catch((error: Error) => {
    throw error.message.startsWith('MOVED') ? new UnusableRedisError(CLUSTER) : error;
  });
}

/** A Redis that is not one for the counters of this service. */
export class UnusableRedisError extends ConfigError {}

/** Replies to every command, or to every write: of a server that starts, follows another one, is full or busy, or alone. */
const OUTAGE = /^(BUSY|CLUSTERDOWN|LOADING|MASTERDOWN|MISCONF|NOAUTH|NOREPLICAS|OOM|READONLY|WRONGPASS)\b/;

/** For probes: what is wrong with their own keys is not with those of requests. */
export function ignoreKeyFault(error: Error): undefined {
  if (!/^WRONGTYPE\b|permissions to access a key/.test(error.message)) throw error;
}

/** Whether other commands would fail too. What is no reply is about the connection. */
export function isOutage({ name, message }: Error): boolean {
  return name !== 'ReplyError' || OUTAGE.test(message);
}

const REMINDER_MS = { partly: 60_000, unavailable: 60_000, unusable: 3_600_000 };

/** Tells operators when Redis becomes unavailable and available, and what it refuses. */
export class RedisLog {
  private readonly logger = new Logger('Redis');
  private reported: 'available' | keyof typeof REMINDER_MS = 'available';
  private reportedAtMs = 0;
  private refusedAtMs = -REMINDER_MS.unavailable;

  available(): void {
    if (this.reported === 'available') return;
    this.reported = 'available';
    this.logger.log({ message: 'Redis is available again; using its counters' });
  }

  unavailable(error: Error): void {
    const state = error instanceof UnusableRedisError ? 'unusable' : 'unavailable';
    // The connection to a Redis that cannot be used is closed, and opened again.
    if ((this.reported === 'unusable' && state === 'unavailable') || this.isReported(state)) return;
    const reason = messageOf(error);
    if (state === 'unusable') this.logger.error({ message: 'Redis cannot be used', reason });
    else this.logger.warn({ message: 'Redis is unavailable; using local counters', reason });
  }

  partlyUnavailable(error: Error): void {
    if (this.isReported('partly')) return;
    const reason = messageOf(error);
    this.logger.warn({ message: 'A part of Redis is unavailable; using local counters for its accounts', reason });
  }

  refused({ message: reason }: Error, command: string, key: string | number | undefined): void {
    if (performance.now() < this.refusedAtMs + REMINDER_MS.unavailable) return;
    this.refusedAtMs = performance.now();
    this.logger.warn({ message: 'Redis refused a command; using local counters for it', command, key, reason });
  }

  private isReported(state: keyof typeof REMINDER_MS): boolean {
    const nowMs = performance.now();
    if (this.reported === state && nowMs < this.reportedAtMs + REMINDER_MS[state]) return true;
    this.reported = state;
    this.reportedAtMs = nowMs;
    return false;
  }
}
