import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { RecurringTask } from '../background/index.js';
import { type Argument, AutoPipeliner } from './auto-pipeliner.js';
import type { Script } from './script.js';
import { CacheGeneration } from './cache-generation.js';

/** Interval between checks, in milliseconds. Without calls, an unavailable Redis is noticed within this time. */
const CHECK_INTERVAL_MS = 200;
/** After this number of failed checks in a row, the client reconnects. */
const CHECKS_TO_DROP = 5;

export interface ScriptCall<Answer> {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly Argument[];
  readonly read: (reply: unknown) => Answer;
  /** The result if Redis is unavailable. */
  readonly fallback: () => Answer | Promise<Answer>;
}

export interface RedisClientOptions {
  readonly url: string;
  /** Prefix of all keys. */
  readonly prefix: string;
  /** Silence after which Redis counts as unavailable, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * The Redis client. It is up while Redis responds in time and accepts writes. After the first failure it is down: calls use
 * their fallbacks at once, until a check succeeds.
 */
export class RedisClient implements OnModuleInit, OnApplicationShutdown {
  readonly version: CacheGeneration;
  readonly prefix: string;
  /** Number of calls that used their fallbacks. */
  fallbacks = 0;
  private readonly logger = new Logger('Redis');
  private readonly pipe: AutoPipeliner;
  private readonly checks = new RecurringTask('checking Redis', CHECK_INTERVAL_MS, () => this.check());
  private up = false;
  private told: 'up' | 'down' = 'up';
  private unanswered = 0;
  private closed = false;
  private readonly catchUps: (() => Promise<void>)[] = [];

  constructor({ url, prefix, timeoutMs }: RedisClientOptions) {
    this.prefix = prefix;
    this.pipe = new AutoPipeliner(url, timeoutMs, {
      onBegin: () => this.readVersion(),
      onClose: (reason) => this.lose(reason),
    });
    this.version = new CacheGeneration({
      key: `${prefix}catalogue-version`,
      run: (script, keys, args) => this.run(script, keys, args),
      isUp: () => this.up,
    });
  }

  get isUp(): boolean {
    return this.up;
  }

  /** @param catchUp sends Redis what it missed. Called when Redis is back, before the client is up */
  beforeUp(catchUp: () => Promise<void>): void {
    this.catchUps.push(catchUp);
  }

  /** Waits for the first attempt to connect, which takes at most a second. */
  async onModuleInit(): Promise<void> {
    await this.pipe.connect().then(
      () => this.checks.run(),
      (error: Error) => this.lose(error.message),
    );
    this.checks.start();
  }

  onApplicationShutdown(): void {
    this.closed = true;
    void this.checks.stop();
    this.pipe.close();
  }

  /** Runs a script in one round trip, or the fallback if Redis is unavailable, fails or is silent for the timeout. */
  call<Answer>(call: ScriptCall<Answer>): Answer | Promise<Answer> {
    if (!this.up) return this.callFallback(call);
    const { script, keys, args, read } = call;
    return this.send(script, keys, args).then(read, (error: Error) => this.callAgain(call, error));
  }

  /** Sends a call again with its script if Redis does not have the script. */
  private async callAgain<Answer>(call: ScriptCall<Answer>, error: Error): Promise<Answer> {
    try {
      const { script, keys, args, read } = call;
      return read(await this.sendInFull(script, keys, args, error));
    } catch {
      return this.callFallback(call);
    }
  }

  private callFallback<Answer>({ fallback }: ScriptCall<Answer>): Answer | Promise<Answer> {
    this.fallbacks += 1;
    return fallback();
  }

  /** Runs a script, even before the client is up. @throws (rejects) Error if Redis is unavailable, silent or fails */
  run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return this.send(script, keys, args).catch((error: Error) => this.sendInFull(script, keys, args, error));
  }

  private send(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return this.pipe.send('evalsha', [script.sha, keys.length, ...keys, ...args]);
  }

  private async sendInFull(
    script: Script,
    keys: readonly string[],
    args: readonly Argument[],
    failure: Error,
  ): Promise<unknown> {
    try {
      if (!failure.message.startsWith('NOSCRIPT')) throw failure;
      return await this.pipe.send('eval', [script.source, keys.length, ...keys, ...args]);
    } catch (error) {
      this.lose((error as Error).message);
      throw error;
    }
  }

  private readVersion(): void {
    this.pipe.send('get', this.version.reading).then(this.version.receive, (error: Error) => this.lose(error.message));
  }

  /** Notices without calls that Redis is unavailable, or that it is back. */
  private async check(): Promise<void> {
    if (!this.pipe.isConnected) return;
    try {
      if (this.up) await this.pipe.send('ping', []);
      else await this.tryWriting();
      this.unanswered = 0;
    } catch (error) {
      this.lose((error as Error).message);
      this.unanswered += 1;
      if (this.unanswered % CHECKS_TO_DROP === 0) this.pipe.drop();
    }
  }

  /** Catches up before the client is up. */
  private async tryWriting(): Promise<void> {
    await this.pipe.selectDatabase();
    await this.version.advance();
    for (const catchUp of this.catchUps) await catchUp();
    this.up = true;
    if (this.told === 'up') return;
    this.told = 'up';
    this.logger.log({ message: 'Redis is available again; using its counters' });
  }

  private lose(reason: string): void {
    // If Redis was only late, the client is up again as soon as it responds.
    if (this.up) setImmediate(() => void this.checks.run());
    this.up = false;
    if (this.told === 'down' || this.closed) return;
    this.told = 'down';
    this.logger.warn({ message: 'Redis is unavailable; using local counters', reason });
  }
}
