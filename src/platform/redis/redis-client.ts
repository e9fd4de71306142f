import { setTimeout as delay } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { Cluster, Redis } from 'ioredis';
import type { Env } from '../config/env.js';
import { RecurringTask } from '../recurring-task.js';
import { inSpan } from '../tracing/spans.js';
import { CONNECT_TIMEOUT_MS, ignoreKeyFault, isOutage, RedisLog, UnusableRedisError } from './redis-server.js';

/** While there are requests, an unavailable Redis is noticed after this time and the timeout. */
const CHECK_INTERVAL_MS = 200;
const SPAN = { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'redis', 'db.operation.name': 'EVALSHA' } };

/** A Lua script, which Redis runs atomically. Its keys are in KEYS, its other arguments in ARGV. */
export type Script = { readonly numberOfKeys: number; readonly lua: string };

/** @throws (rejects) Error if Redis is unavailable, late or fails */
export type RunScript = (...keysAndArguments: (string | number)[]) => Promise<unknown>;

/** The settings of the client besides its URL. */
export type RedisEnv = Pick<Env, 'REDIS_PREFIX' | 'REDIS_TIMEOUT_MS'>;

/** The Redis client, with a circuit breaker. While it is down, calls use their fallbacks at once. */
export abstract class RedisClient implements OnModuleInit, OnApplicationShutdown {
  prefix: string;
  /** The database whose keys have the prefix. Without it, nobody checks whose they are. */
  owner: string | undefined;
  /** Whether calls use Redis, not their fallbacks. */
  isUp = false;
  fallbacks = 0;
  /** Gets the duration of a GET, several times a second, in seconds. */
  onRoundTrip: ((seconds: number) => void) | undefined;
  /** Gets the time of Redis, several times a second, in whole seconds of Unix time. */
  onTime: ((seconds: number) => void) | undefined;
  protected abstract readonly redis: Redis | Cluster;
  protected readonly log = new RedisLog();
  /** The share of the servers that calls cannot use while it is up. */
  protected shareAway = 0;
  /** What every script waits for: reading the keys of `readWithScripts`, if they can be on another server. */
  protected reading: Promise<void> | undefined;
  private readonly checks = new RecurringTask('checking Redis', CHECK_INTERVAL_MS, () => this.check(), {
    restsWhenIdle: () => this.isUp,
  });
  private closed = false;
  private readonly preparations: (() => Promise<void> | void)[] = [];
  private readonly probes: { readonly run: RunScript; readonly probe: (number: number) => (string | number)[] }[] = [];
  private readonly reads: { readonly key: string; readonly receive: (value: string | null) => void }[] = [];
  private isInTurn = false;
  private unusable: Error | undefined;

  constructor({ REDIS_PREFIX }: RedisEnv) {
    this.prefix = REDIS_PREFIX;
  }

  /** The share of the servers that calls use: 0 or 1, or between them if parts of a cluster are unavailable. */
  get shareUp(): number {
    return this.isUp ? 1 - this.shareAway : 0;
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

  /**
   * @param probe keys and arguments with which it runs again and again, and replies the time first: if it fails, Redis is
   * unavailable. With other numbers, the keys can be on other servers of a cluster
   */
  defineScript(name: string, script: Script, probe?: (number: number) => (string | number)[]): RunScript {
    this.redis.defineCommand(name, script);
    const command = Reflect.get(this.redis, name) as RunScript;
    const run: RunScript = (...keysAndArguments) => command.apply(this.redis, keysAndArguments);
    if (probe !== undefined) this.probes.push({ run, probe });
    return async (...keysAndArguments) => {
      this.enterTurn();
      const { reading } = this;
      try {
        return await inSpan(`EVALSHA ${name}`, SPAN, () => command.apply(this.redis, keysAndArguments));
      } catch (error) {
        this.fail(error as Error, name, keysAndArguments[0]);
        throw error;
      } finally {
        if (reading !== undefined) await reading;
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
    const { options } = this.redis;
    const hasSentinels = 'sentinels' in options && options.sentinels;
    const what = hasSentinels ? 'no sentinel has named its master' : 'no server has responded';
    if (!this.isUp) this.lose(new Error(`${what} yet`));
    this.checks.start();
  }

  onApplicationShutdown(): void {
    this.closed = true;
    void this.checks.stop();
    this.redis.disconnect();
  }

  /** Called with the first script of each turn of the event loop. */
  protected abstract beginTurn(): void;

  /** Called five times a second, while there are requests or it is down. */
  protected abstract check(): Promise<void>;

  /** Reads the keys of `readWithScripts` with one command. Never rejects. */
  protected async read(): Promise<void> {
    if (this.reads.length === 0) return;
    const receive = (values: readonly (string | null)[]) => {
      for (const [index, read] of this.reads.entries()) read.receive(values[index] ?? null);
    };
    const keys = this.reads.map(({ key }) => key);
    await this.redis.mget(keys).then(receive, (error: Error) => {
      this.fail(error, 'mget', keys[0]);
      receive([]);
    });
  }

  protected async runProbes(number: number): Promise<void> {
    const replies = await Promise.all(this.probes.map(({ run, probe }) => run(...probe(number)).catch(ignoreKeyFault)));
    for (const reply of replies) if (Array.isArray(reply)) this.onTime?.(Number(reply[0]));
  }

  /** The key that tells where the probes with a number go. */
  protected probedKey(number: number): string {
    return String(this.probes[0]?.probe(number)[0]);
  }

  /** Also measures how long a GET takes. */
  protected async checkOwner(): Promise<void> {
    const sinceMs = performance.now();
    await this.compareOwner();
    this.onRoundTrip?.((performance.now() - sinceMs) / 1_000);
  }

  protected async prepare(): Promise<void> {
    for (const prepare of this.preparations) await prepare();
    this.isUp = true;
  }

  /** An error that names a key or a command is that call's alone. */
  protected fail(error: Error, command: string, key: string | number | undefined): void {
    if (isOutage(error)) this.lose(error);
    else this.log.refused(error, command, key);
  }

  protected lose(error: Error): void {
    this.isUp = false;
    if (error instanceof UnusableRedisError) this.unusable = error;
    if (!this.closed) this.log.unavailable(error);
  }

  /** The first service that uses the prefix writes its database under it, and so does the first after Redis lost its data. */
  private async compareOwner(): Promise<void> {
    const key = `${this.prefix}database`;
    const owner = await this.redis.get(key).catch(ignoreKeyFault);
    if (owner === undefined || this.owner === undefined || owner === this.owner) return;
    if (owner !== null)
      throw new UnusableRedisError(
        `The keys ${this.prefix}* in Redis belong to another database. Set REDIS_PREFIX to a prefix that no other database uses. If the other database no longer exists, delete its keys instead, including ${key}.`,
      );
    await this.redis.set(key, this.owner, 'NX');
    // Another service may have been first.
    await this.compareOwner();
  }

  /** Scripts of one turn of the event loop share one reading. */
  private enterTurn(): void {
    if (this.isInTurn) return;
    this.isInTurn = true;
    setImmediate(() => (this.isInTurn = false));
    this.beginTurn();
  }
}
