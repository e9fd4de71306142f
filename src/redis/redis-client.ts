import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { RecurringTask } from '../background/index.js';
import { type Argument, AutoPipeliner } from './auto-pipeliner.js';
import type { Script } from './script.js';
import { CacheGeneration } from './cache-generation.js';

/** How often Redis is looked after; also the longest time for which it may be away without anybody asking. */
const CHECK_INTERVAL_MS = 200;
/** Checks in a row without an answer after which the connection is made anew. */
const CHECKS_TO_DROP = 5;

export interface ScriptCall<Answer> {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly Argument[];
  readonly read: (reply: unknown) => Answer;
  /** Answers in place of Redis, when it can't. */
  readonly fallback: () => Answer | Promise<Answer>;
}

export interface RedisClientOptions {
  readonly url: string;
  /** Begins the names of all keys. */
  readonly prefix: string;
  /** Silence after which Redis counts as away. */
  readonly timeoutMs: number;
}

/**
 * The way to Redis. It is up while Redis answers in time and takes writes; after the first failure it is down, and
 * calls are answered without Redis at once, until a check finds it working again.
 */
export class RedisClient implements OnModuleInit, OnApplicationShutdown {
  readonly version: CacheGeneration;
  readonly prefix: string;
  /** How many calls were answered without Redis. */
  fallbacks = 0;
  private readonly logger = new Logger('Redis');
  private readonly pipe: AutoPipeliner;
  private readonly checks = new RecurringTask('looking after Redis', CHECK_INTERVAL_MS, () => this.check());
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

  /** @param catchUp tells Redis what it missed; done whenever Redis is back, before anybody asks it again */
  beforeUp(catchUp: () => Promise<void>): void {
    this.catchUps.push(catchUp);
  }

  /** Waits for the first attempt to connect only, which takes a second at most. */
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

  /** Runs a script in one round trip, or the fallback where Redis is away, fails or is silent for the timeout. */
  call<Answer>(call: ScriptCall<Answer>): Answer | Promise<Answer> {
    if (!this.up) return this.callFallback(call);
    const { script, keys, args, read } = call;
    return this.send(script, keys, args).then(read, (error: Error) => this.callAgain(call, error));
  }

  /** What failed because Redis does not know the script is sent once more, with the script. */
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

  /** Has Redis run a script, also before the link is up. @throws (rejects) Error when Redis is away, silent or fails */
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

  /** Finds out that Redis is away when nobody asks, and that it is back. */
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

  /** What may have changed while Redis was away is made known before anybody believes it again. */
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
    // If Redis was only late, it is back as soon as it answers.
    if (this.up) setImmediate(() => void this.checks.run());
    this.up = false;
    if (this.told === 'down' || this.closed) return;
    this.told = 'down';
    this.logger.warn({ message: 'Redis is unavailable; using local counters', reason });
  }
}
