import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { RecurringTask } from '../background/index.js';
import { type Argument, AutoPipeliner } from './auto-pipeliner.js';
import type { Script } from './script.js';
import { SharedVersion } from './shared-version.js';

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
  readonly prefix: string;
  readonly version: SharedVersion;
  /** Number of calls that used their fallbacks. */
  fallbacks = 0;
  private readonly logger = new Logger('Redis');
  private readonly pipe: AutoPipeliner;
  private readonly checks = new RecurringTask('checking Redis', CHECK_INTERVAL_MS, () => this.check());
  private up = false;
  private reported: 'up' | 'down' = 'up';
  private unanswered = 0;
  private closed = false;
  private readonly catchUps: (() => Promise<void>)[] = [];

  constructor({ url, prefix, timeoutMs }: RedisClientOptions) {
    this.prefix = prefix;
    this.version = new SharedVersion(this);
    this.pipe = new AutoPipeliner(url, timeoutMs, {
      onBegin: () => this.readVersion(),
      onClose: (reason) => this.lose(reason),
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
    const { script, keys, args, read } = call;
    const fallback = () => {
      this.fallbacks += 1;
      return call.fallback();
    };
    return this.up ? this.run(script, keys, args).then(read, fallback) : fallback();
  }

  /** Runs a script, even before the client is up. @throws (rejects) Error if Redis is unavailable, silent or fails */
  async run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const inputs = [keys.length, ...keys, ...args];
    try {
      return await this.pipe.send('evalsha', [script.sha, ...inputs]).catch((error: Error) => {
        if (!error.message.startsWith('NOSCRIPT')) throw error;
        return this.pipe.send('eval', [script.source, ...inputs]);
      });
    } catch (error) {
      this.lose((error as Error).message);
      throw error;
    }
  }

  private readVersion(): void {
    this.pipe.send('get', [this.version.key]).then(this.version.receive, (error: Error) => this.lose(error.message));
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
    if (this.reported === 'up') return;
    this.reported = 'up';
    this.logger.log({ message: 'Redis is available again; using its counters' });
  }

  private lose(reason: string): void {
    // If Redis was only late, the client is up again as soon as it responds.
    if (this.up) setImmediate(() => void this.checks.run());
    this.up = false;
    if (this.reported === 'down' || this.closed) return;
    this.reported = 'down';
    this.logger.warn({ message: 'Redis is unavailable; using local counters', reason });
  }
}
