import { setTimeout as delay } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { Env } from '../config/env.js';
import { RecurringTask } from '../recurring-task.js';
import { traced } from '../tracing/traced.js';
import { checkMode, CONNECT_TIMEOUT_MS, redisOptions, UnsupportedServerError } from './redis-options.js';

/** How often an unavailable Redis is logged again, in milliseconds. */
const REMINDER_MS = 60_000;

/** Interval between checks, in milliseconds. Without calls, an unavailable Redis is noticed after this time and the timeout. */
const CHECK_INTERVAL_MS = 200;

const SPAN = { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'redis', 'db.operation.name': 'EVALSHA' } };

/** A Lua script, which Redis runs atomically. Its keys are in KEYS, its other arguments in ARGV. */
export interface Script {
  readonly numberOfKeys: number;
  readonly lua: string;
}

/** @throws (rejects) Error if Redis is unavailable, late or fails */
export type RunScript = (...keysAndArguments: (string | number)[]) => Promise<unknown>;

/**
 * The Redis client, with a circuit breaker. After the first error or timeout it is down and closes the connection, so that
 * the commands in flight fail too: calls use their fallbacks at once. It connects again, and is up when Redis accepts writes.
 */
export class RedisClient implements OnModuleInit, OnApplicationShutdown {
  /** Of all keys. */
  readonly prefix: string;
  /** Number of calls that used their fallbacks. */
  fallbacks = 0;
  private readonly logger = new Logger('Redis');
  private readonly redis: Redis;
  private readonly checks = new RecurringTask('checking Redis', CHECK_INTERVAL_MS, () => this.check());
  private up = false;
  private reported: 'up' | 'down' = 'up';
  private reportedAtMs = 0;
  private closed = false;
  private readonly preparations: (() => Promise<void> | void)[] = [];
  private readonly reads: (() => void)[] = [];
  private isInTurn = false;
  private unsupported: Error | undefined;
  private roundTrips: ((seconds: number) => void) | undefined;

  constructor(url: string, { REDIS_PREFIX, REDIS_TIMEOUT_MS }: Pick<Env, 'REDIS_PREFIX' | 'REDIS_TIMEOUT_MS'>) {
    this.prefix = REDIS_PREFIX;
    const options = redisOptions(url, REDIS_TIMEOUT_MS);
    this.redis = options.sentinels === undefined ? new Redis(url, options) : new Redis(options);
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

  /** @param observe gets the duration of a PING, several times a second, in seconds */
  onRoundTrip(observe: (seconds: number) => void): void {
    this.roundTrips = observe;
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
        return await traced(`EVALSHA ${name}`, SPAN, () => command.apply(this.redis, keysAndArguments));
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

  /**
   * Waits for the first attempt to connect, which takes at most two seconds.
   * @throws (rejects) Error if the server is part of a cluster, or a Sentinel: neither can keep the counters
   */
  async onModuleInit(): Promise<void> {
    const connected = this.redis.connect().then(
      () => this.checks.tryRun(),
      (error: Error) => this.lose(error.message),
    );
    // Sentinels that do not respond are asked again and again.
    await Promise.race([connected, delay(2 * CONNECT_TIMEOUT_MS, undefined, { ref: false })]);
    if (this.unsupported !== undefined) throw this.unsupported;
    const who = Array.isArray(this.redis.options.sentinels)
      ? 'no sentinel has named its master'
      : 'no server has responded';
    if (!this.up) this.lose(`${who} yet`);
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
      if (this.up) await this.ping();
      else await this.begin();
    } catch (error) {
      if (error instanceof UnsupportedServerError) this.unsupported = error;
      this.lose((error as Error).message);
    }
  }

  private async ping(): Promise<void> {
    const sinceMs = performance.now();
    await this.redis.ping();
    this.roundTrips?.((performance.now() - sinceMs) / 1_000);
  }

  private async begin(): Promise<void> {
    await checkMode(this.redis);
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
    const nowMs = performance.now();
    if (this.closed || (this.reported === 'down' && nowMs < this.reportedAtMs + REMINDER_MS)) return;
    this.reported = 'down';
    this.reportedAtMs = nowMs;
    this.logger.warn({ message: 'Redis is unavailable; using local counters', reason });
  }
}
