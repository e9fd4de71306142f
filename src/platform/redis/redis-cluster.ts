import type { ClusterNode, ClusterOptions, RedisOptions } from 'ioredis';
import { CLUSTER_URL } from '../config/setting.decorators.js';
import {
  addressesOf,
  commandOptions,
  credentialsOf,
  RECONNECT_DELAY_MS,
  tlsOptions,
  UnusableRedisError,
} from './redis-server.js';

/** The servers that a URL names. They name all others. */
export function clusterNodes(url: string): ClusterNode[] {
  return addressesOf(CLUSTER_URL.exec(url)?.groups?.['hosts']);
}

/** Options of the connection to one server. */
export function nodeOptions(url: string, host = ''): RedisOptions {
  return { ...credentialsOf(url), ...(url.startsWith('rediss') ? { tls: tlsOptions(host) } : {}) };
}

/**
 * Options for a client that neither queues nor repeats commands that a server may have processed.
 * @param isUp whether some servers are available; otherwise it asks those of the URL again, whose addresses may be new
 */
export function clusterOptions(commandTimeout: number, isUp: () => boolean): ClusterOptions {
  // The timer of a silent connection can outlive it, and would close the next one.
  const retryDelayMs = Math.max(RECONNECT_DELAY_MS, commandTimeout);
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    // `check` does more.
    enableReadyCheck: false,
    clusterRetryStrategy: () => RECONNECT_DELAY_MS,
    clusterNodeRetryStrategy: () => (isUp() ? retryDelayMs : null),
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // Certificates have host names.
    dnsLookup: (host, done) => done(null, host),
    // A server that accepts connections but does not respond is never ready.
    redisOptions: { ...commandOptions(commandTimeout), socketTimeout: commandTimeout, enableReadyCheck: true },
  };
}

/** The error of a server that is not in a cluster says so; others are returned as they are. */
export function notOfCluster(error: Error & { readonly lastNodeError?: Error }): Error {
  const { lastNodeError = error } = error;
  if (!lastNodeError.message.includes('cluster support disabled')) return lastNodeError;
  return new UnusableRedisError('REDIS_URL names a server that is not in a Redis Cluster. Write redis://host:port.');
}
