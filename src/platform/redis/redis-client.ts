import { setTimeout as delay } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { Env } from '../config/env.js';
import { RecurringTask } from '../recurring-task.js';
import { inSpan } from '../tracing/spans.js';
import {
  checkServer,
  CONNECT_TIMEOUT_MS,
  credentialsOf,
  ignoreKeyFault,
  isOutage,
  redisOptions,
} from './redis-server.js';
import { RedisLog, UnusableRedisError } from './redis-server.js';

/** While there are requests, an unavailable Redis is noticed after this time and the timeout. */
const CHECK_INTERVAL_MS = 200;
const SPAN = { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'redis', 'db.operation.name': 'EVALSHA' } };

/** A Lua script, which Redis runs atomically. Its keys are in KEYS, its other arguments in ARGV. */
export type Script = { readonly numberOfKeys: number; readonly lua: string };

/** @throws (rejects) Error if Redis is unavailable, late or fails */
export type RunScript = (...keysAndArguments: (string | number)[]) => Promise<unknown>;

/**
 * The Redis client, with a circuit breaker. After a timeout or an error that others would get too, it is down and closes the
 * connection, so that calls in flight use their fallbacks at once. It connects again, and is up when its probes succeed.
 */
export class RedisClient implements OnModuleInit, OnApplicationShutdown {
  prefix: string;
  /** The database whose keys have the prefix. Without it, nobody checks whose they are. */
  owner: string | undefined;
  /** Whether calls use Redis, not their fallbacks. */
  isUp = false;
  fallbacks = 0;
  /** Gets the duration of a GET in seconds, and the time of Redis in whole seconds of Unix time, several times a second. */
  onRoundTrip: ((seconds: number) => void) | undefined;
  onTime: ((seconds: number) => void) | undefined;
  private readonly log = new RedisLog();
  private readonly redis: Redis;
  private readonly checks = new RecurringTask('checking Redis', CHECK_INTERVAL_MS, () => this.check(), {
    restsWhenIdle: () => this.isUp,
  });
  private closed = false;
  private readonly preparations: (() => Promise<void> | void)[] = [];
  private readonly probes: (() => Promise<unknown>)[] = [];
  private readonly reads: { readonly key: string; readonly receive: (value: string | null) => void }[] = [];
  private isInTurn = false;
  private unusable: Error | undefined;

  /** @param currentUrl returns the URL with the user and the password for the next connection */
  constructor(
    url: string,
    { REDIS_PREFIX, REDIS_TIMEOUT_MS }: Pick<Env, 'REDIS_PREFIX' | 'REDIS_TIMEOUT_MS'>,
    currentUrl = () => url,
  ) {
    this.prefix = REDIS_PREFIX;
    const options = redisOptions(url, REDIS_TIMEOUT_MS);
    this.redis = options.sentinels === undefined ? new Redis(url, options) : new Redis(options);
    // An error event comes before the end of the connection.
    let reason: Error | undefined;
    this.redis.on('error', (error: Error) => (reason = error));
    this.redis.on('close', () => {
      Object.assign(this.redis.options, credentialsOf(currentUrl()));
      this.lose(reason ?? new Error('the connection was closed'));
      reason = undefined;
    });
  }

  /** Checks the connection now, also while the service rests, and does not wait for it. */
  refresh(): void {
    void this.checks.tryRun();
  }

  /** Prepares each time Redis is back, before the client is up. */
  beforeUp(prepare: () => Promise<void> | void): void {
    this.preparations.push(prepare);
  }

  /**
   * Reads a key with every script, just before it. Keys share one command, so a cluster must have them in one slot.
   * @param receive gets the value, or null if it cannot be read, before the result of the script is used
   */
  readWithScripts(key: string, receive: (value: string | null) => void): void {
    this.reads.push({ key, receive });
  }

  /** @param probe arguments with which it runs again and again, and replies the time first: if it fails, Redis is unavailable */
  defineScript(name: string, script: Script, probe?: () => (string | number)[]): RunScript {
    this.redis.defineCommand(name, script);
    const command = Reflect.get(this.redis, name) as RunScript;
    if (probe !== undefined) this.probes.push(() => command.apply(this.redis, probe()));
    return async (...keysAndArguments) => {
      this.beginTurn();
      try {
        return await inSpan(`EVALSHA ${name}`, SPAN, () => command.apply(this.redis, keysAndArguments));
      } catch (error) {
        this.fail(error as Error, name, keysAndArguments[0]);
        throw error;
      }
    };
  }

  call<Result>(run: () => Promise<Result>, fallback: () => Result | Promise<Result>): Result | Promise<Result> {
    const fallBack = () => {
      this.fallbacks += 1;
      return fallback();
    };
    return this.isUp ? run().catch(fallBack) : fallBack();
  }

  /**
   * Waits for the first attempt to connect, which takes at most two seconds.
   * @throws (rejects) UnusableRedisError if the server or the prefix is not one for the counters of this database
   */
  async onModuleInit(): Promise<void> {
    const connected = this.redis.connect().then(
      () => this.checks.tryRun(),
      (error: Error) => this.lose(error),
    );
    // Sentinels that do not respond are asked again and again.
    await Promise.race([connected, delay(2 * CONNECT_TIMEOUT_MS, undefined, { ref: false })]);
    if (this.unusable !== undefined) throw this.unusable;
    const what = this.redis.options.sentinels ? 'no sentinel has named its master' : 'no server has responded';
    if (!this.isUp) this.lose(new Error(`${what} yet`));
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
    if (this.reads.length > 0) this.read();
  }

  private read(): void {
    const receive = (values: readonly (string | null)[]) => {
      for (const [index, read] of this.reads.entries()) read.receive(values[index] ?? null);
    };
    const keys = this.reads.map(({ key }) => key);
    this.redis.mget(keys).then(receive, (error: Error) => {
      this.fail(error, 'mget', keys[0]);
      receive([]);
    });
  }

  private async check(): Promise<void> {
    if (this.redis.status !== 'ready') return;
    const { isUp } = this;
    try {
      if (!isUp) await checkServer(this.redis, this.prefix);
      const sinceMs = performance.now();
      await this.checkOwner();
      this.onRoundTrip?.((performance.now() - sinceMs) / 1_000);
      const replies = await Promise.all(this.probes.map((probe) => probe().catch(ignoreKeyFault)));
      for (const reply of replies) if (Array.isArray(reply)) this.onTime?.(Number(reply[0]));
      if (isUp) return;
      for (const prepare of this.preparations) await prepare();
      this.isUp = true;
      this.log.available();
    } catch (error) {
      this.lose(error as Error);
    }
  }

  /** The first service that uses the prefix writes its database under it, and so does the first after Redis lost its data. */
  private async checkOwner(): Promise<void> {
    const key = `${this.prefix}database`;
    const owner = await this.redis.get(key).catch(ignoreKeyFault);
    if (owner === undefined || this.owner === undefined || owner === this.owner) return;
    if (owner !== null)
      throw new UnusableRedisError(
        `The keys ${this.prefix}* in Redis belong to another database: set REDIS_PREFIX to a prefix of its own for this one, or delete those keys, ${key} among them, if the other database is gone for good.`,
      );
    await this.redis.set(key, this.owner, 'NX');
    // Another service may have been first.
    await this.checkOwner();
  }

  /** An error that names a key or a command is that call's alone. */
  private fail(error: Error, command: string, key: string | number | undefined): void {
    if (isOutage(error)) this.lose(error);
    else this.log.refused(error, command, key);
  }

  private lose(error: Error): void {
    this.isUp = false;
    // Reconnects. `disconnect` would wait for Redis.
    if (this.redis.status === 'ready') this.redis.stream.destroy();
    if (error instanceof UnusableRedisError) this.unusable = error;
    if (!this.closed) this.log.unavailable(error);
  }
}
