import { Cluster, type ClusterOptions, Command, type Redis, type RedisOptions } from 'ioredis';
import { CLUSTER_URL } from '../config/setting.decorators.js';
import { RedisClient, type RedisEnv } from './redis-client.js';
import { addressesOf, commandOptions, credentialsOf, isOutage, RECONNECT_DELAY_MS } from './redis-server.js';
import { tlsOptions, UnusableRedisError } from './redis-server.js';

/** With numbers up to this many times the servers, probes reach each of them. */
const PROBES_PER_SERVER = 100;

/**
 * The client of a cluster. The connection to each server is its own circuit breaker: it is closed if the server is silent,
 * and until it is ready again, commands for it fail at once. So calls for the keys of a server that is away use their
 * fallbacks, and all others use Redis. It is down only while no server can be used.
 */
export class RedisClusterClient extends RedisClient {
  protected readonly redis: Cluster;

  /** @param currentUrl returns the URL with the user and the password for the next connection */
  constructor(url: string, env: RedisEnv, currentUrl = () => url) {
    super(env);
    this.redis = new Cluster(
      // They name all others.
      addressesOf(CLUSTER_URL.exec(url)?.groups?.['hosts']),
      clusterOptions(env.REDIS_TIMEOUT_MS, () => this.isUp),
    );
    this.redis.on('+node', (node: Redis) => {
      const renew = () => Object.assign(node.options, nodeOptions(currentUrl(), node.options.host));
      renew();
      node.on('close', renew);
    });
    this.redis.on('error', (error: Error) => this.lose(notOfCluster(error)));
  }

  /** The keys can be on another server than those of a script, whose reply may come first. */
  protected override beginTurn(): void {
    this.reading = this.read();
  }

  protected override async check(): Promise<void> {
    if (this.redis.status !== 'ready') return;
    const probes = this.numbersOfServers().map((number) =>
      this.runProbes(number).then(
        () => undefined,
        (error: Error) => error,
      ),
    );
    const errors = (await Promise.all(probes)).filter((error) => error !== undefined);
    const isAway = errors.length === probes.length;
    const [error = new Error('no server has slots')] = errors;
    // After a failover, a replica has the slots of a server.
    if (errors.length > 0 || isAway) this.redis.refreshSlotsCache();
    try {
      if (isAway) throw error;
      await this.checkOwner();
      if (!this.isUp) await this.prepare();
    } catch (reason) {
      // Only the server of the key may be away.
      if (!this.isUp || isAway || reason instanceof UnusableRedisError) return this.lose(reason as Error);
    }
    this.shareAway = errors.length / probes.length;
    if (errors.length > 0) this.log.partlyUnavailable(error);
    else this.log.available();
  }

  /** Whether a server is away, the next check finds out. */
  protected override fail(error: Error, command: string, key: string | number | undefined): void {
    if (!isOutage(error)) super.fail(error, command, key);
  }

  /** A number for each server that has slots, whose probes go to it. */
  private numbersOfServers(): number[] {
    const numbers = new Map<string, number>();
    const count = new Set(this.redis.slots.map(([server]) => server)).size;
    for (let number = 1; numbers.size < count && number <= count * PROBES_PER_SERVER; number += 1) {
      const slot = new Command('get', [this.probedKey(number)]).getSlot();
      const [server] = this.redis.slots[slot ?? 0] ?? [];
      if (server !== undefined && !numbers.has(server)) numbers.set(server, number);
    }
    return [...numbers.values()];
  }
}

function nodeOptions(url: string, host = ''): RedisOptions {
  return { ...credentialsOf(url), ...(url.startsWith('rediss') ? { tls: tlsOptions(host) } : {}) };
}

/**
 * Options for a client that neither queues nor repeats commands that a server may have processed.
 * @param isUp whether some servers are available; otherwise it asks those of the URL again, whose addresses may be new
 */
function clusterOptions(commandTimeout: number, isUp: () => boolean): ClusterOptions {
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
function notOfCluster(error: Error & { readonly lastNodeError?: Error }): Error {
  const { lastNodeError = error } = error;
  if (!lastNodeError.message.includes('cluster support disabled')) return lastNodeError;
  return new UnusableRedisError('REDIS_URL names a server that is not in a Redis Cluster. Write redis://host:port.');
}
