import { isIP } from 'node:net';
import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';
import { RecurringTask } from '../recurring-task.js';

/** Time from a lost connection to the next attempt, in milliseconds. */
const RECONNECT_DELAY_MS = 500;
/** Timeout for connecting, including TLS, in milliseconds. */
const CONNECT_TIMEOUT_MS = 1_000;
const KEEP_ALIVE_MS = 10_000;

/** Interval between checks, in milliseconds. Without calls, an unavailable Redis is noticed after this time and the timeout. */
const CHECK_INTERVAL_MS = 200;

/** A Lua script, which Redis runs atomically. Its keys are in KEYS, its other arguments in ARGV. */
export interface Script {
  readonly numberOfKeys: number;
  readonly lua: string;
}

/** Runs a script with its keys and its other arguments. @throws (rejects) Error if Redis is unavailable, late or fails */
export type RunScript = (...keysAndArguments: (string | number)[]) => Promise<unknown>;

export interface RedisClientOptions {
  readonly url: string;
  /** Prefix of all keys. */
  readonly prefix: string;
  /** Time after which a command fails and Redis counts as unavailable, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * The Redis client, with a circuit breaker. After the first error or timeout it is down and closes the connection, so that
 * the commands in flight fail too: calls use their fallbacks at once. It connects again, and is up when Redis accepts writes.
 */
export class RedisClient implements OnModuleInit, OnApplicationShutdown {
  readonly prefix: string;
  /** Number of calls that used their fallbacks. */
  fallbacks = 0;
  private readonly logger = new Logger('Redis');
  private readonly redis: Redis;
  private readonly checks = new RecurringTask('checking Redis', CHECK_INTERVAL_MS, () => this.check());
  private up = false;
  private reported: 'up' | 'down' = 'up';
  private closed = false;
  private readonly preparations: (() => Promise<void> | void)[] = [];
  private readonly reads: (() => void)[] = [];
  private isInTurn = false;

  constructor({ url, prefix, timeoutMs }: RedisClientOptions) {
    this.prefix = prefix;
    this.redis = new Redis(url, redisOptions(url, timeoutMs));
    // An error event comes before the end of the connection.
    let reason: string | undefined;
    this.redis.on('error', ({ message }: Error) => (reason = message));
    this.redis.on('close', () => {
      this.lose(reason ?? 'the connection was closed');
      reason = undefined;
    });
  }

  get isUp(): boolean {
    return this.up;
  }

  /** @param prepare called when Redis is back, before the client is up */
  beforeUp(prepare: () => Promise<void> | void): void {
    this.preparations.push(prepare);
  }

  /**
   * Reads a key with every script, just before it.
   * @param receive gets the value before the result of the script is used
   */
  readWithScripts(key: string, receive: (value: string | null) => void): void {
    this.reads.push(() => {
      this.redis.get(key).then(receive, (error: Error) => this.lose(error.message));
    });
  }

  /** @param name of the script, different from all commands of Redis */
  defineScript(name: string, script: Script): RunScript {
    this.redis.defineCommand(name, script);
    const command = Reflect.get(this.redis, name) as RunScript;
    return async (...keysAndArguments) => {
      this.beginTurn();
      try {
        return await command.apply(this.redis, keysAndArguments);
      } catch (error) {
        this.lose((error as Error).message);
        throw error;
      }
    };
  }

  /**
   * @param run runs a script, and reads its reply
   * @param fallback what to do instead if Redis is unavailable
   */
  call<Result>(run: () => Promise<Result>, fallback: () => Result | Promise<Result>): Result | Promise<Result> {
    const fallBack = () => {
      this.fallbacks += 1;
      return fallback();
    };
    return this.up ? run().catch(fallBack) : fallBack();
  }

  /** Waits for the first attempt to connect, which takes at most a second. */
  async onModuleInit(): Promise<void> {
    await this.redis.connect().then(
      () => this.checks.run(),
      (error: Error) => this.lose(error.message),
    );
    this.checks.start();
  }

  onApplicationShutdown(): void {
    this.closed = true;
    void this.checks.stop();
    this.redis.disconnect();
  }

  /** Commands of one turn of the event loop are written at once, which saves a tenth of a request, and share one reading. */
  private beginTurn(): void {
    if (this.isInTurn) return;
    this.isInTurn = true;
    const { stream } = this.redis;
    stream.cork();
    process.nextTick(() => stream.uncork());
    setImmediate(() => (this.isInTurn = false));
    for (const read of this.reads) read();
  }

  private async check(): Promise<void> {
    if (this.redis.status !== 'ready') return;
    try {
      if (this.up) await this.redis.ping();
      else await this.begin();
    } catch (error) {
      this.lose((error as Error).message);
    }
  }

  private async begin(): Promise<void> {
    // The client would use another database if this one does not exist.
    await this.redis.select(this.redis.options.db ?? 0);
    // Redis may refuse writes only: as a replica, or without memory.
    await this.redis.set(`${this.prefix}check`, '', 'EX', 60);
    for (const prepare of this.preparations) await prepare();
    this.up = true;
    if (this.reported === 'up') return;
    this.reported = 'up';
    this.logger.log({ message: 'Redis is available again; using its counters' });
  }

  private lose(reason: string): void {
    this.up = false;
    // Reconnects. `disconnect` would wait for Redis.
    if (this.redis.status === 'ready') this.redis.stream.destroy();
    if (this.reported === 'down' || this.closed) return;
    this.reported = 'down';
    this.logger.warn({ message: 'Redis is unavailable; using local counters', reason });
  }
}

/** Options for a client that neither queues nor repeats commands: without a connection they fail at once. */
function redisOptions(url: string, commandTimeout: number): RedisOptions {
  const { protocol, hostname } = new URL(url);
  const isIpAddress = isIP(hostname) !== 0 || hostname.startsWith('[');
  return {
    // Node does not tell the server the name of the host (SNI) by itself.
    ...(protocol === 'rediss:' && !isIpAddress ? { tls: { servername: hostname } } : {}),
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
