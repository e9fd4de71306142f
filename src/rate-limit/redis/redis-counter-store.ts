import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { Caller } from '../../auth/index.js';
import { RecurringTask } from '../../background/index.js';
import type { RedisClient } from '../../redis/index.js';
import { CounterStore } from '../counter-store.js';
import type { MemoryCounterStore } from '../memory/memory-counter-store.js';
import type { Decision, UsageReport } from '../windows/decision.js';
import { ADMIT, ADMIT_ADDRESS, OUTCOMES, PEEK, TAKE_FROM_ROUTE } from './admission-scripts.js';
import { addressKey } from './counter-keys.js';
import { LocalCounts } from './local-counts.js';
import { ofCaller, usageReport } from './caller-usage.js';

/** Interval between sweeps of the fallback, in milliseconds. */
const FALLBACK_INTERVAL_MS = 1_000;

/**
 * Counts in Redis for all instances, on the clock of Redis, with one script call per decision. Keys of an account have its
 * id in braces, so that a cluster keeps them in one slot.
 */
export class RedisCounterStore extends CounterStore implements OnModuleInit, OnApplicationShutdown {
  private readonly localCounts: LocalCounts;
  private readonly task = new RecurringTask('sweeping the counters', FALLBACK_INTERVAL_MS, () => this.sweep());

  /**
   * @param fallback local counters for while Redis is unavailable
   * @param now Unix time in whole seconds, for tests; empty for the clock of Redis
   */
  constructor(
    private readonly redis: RedisClient,
    private readonly fallback: MemoryCounterStore,
    private readonly now: () => number | '' = () => '',
  ) {
    super();
    this.localCounts = new LocalCounts(redis, fallback, now);
    redis.beforeUp(() => this.localCounts.add());
  }

  onModuleInit(): void {
    this.task.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }

  override admit(caller: Caller): Decision | Promise<Decision> {
    return this.redis.call({
      script: ADMIT,
      ...ofCaller(this.redis.prefix, this.now(), caller),
      read: decision,
      fallback: () => this.fallback.admit(caller),
    });
  }

  override peek(caller: Caller): UsageReport | Promise<UsageReport> {
    return this.redis.call({
      script: PEEK,
      ...ofCaller(this.redis.prefix, this.now(), caller),
      read: (reply) => usageReport(reply, caller.limits),
      fallback: () => this.fallback.peek(caller),
    });
  }

  override admitAddress(address: string): Decision | Promise<Decision> {
    return this.askAddress(address, 1, () => this.fallback.admitAddress(address));
  }

  override peekAddress(address: string): Decision | Promise<Decision> {
    return this.askAddress(address, 0, () => this.fallback.peekAddress(address));
  }

  override takeFromRoute(subject: string, limit: number, windowSeconds: number): Decision | Promise<Decision> {
    return this.redis.call({
      script: TAKE_FROM_ROUTE,
      keys: [`${this.redis.prefix}{route:${subject}}`],
      args: [this.now(), limit, windowSeconds],
      read: decision,
      fallback: () => this.fallback.takeFromRoute(subject, limit, windowSeconds),
    });
  }

  private async sweep(): Promise<void> {
    this.fallback.sweep();
    // Adds the rest of the local counts. If Redis fails, the client notices it, and the next sweep tries again.
    if (this.redis.isUp) await this.localCounts.add().catch(() => undefined);
  }

  private askAddress(address: string, taking: 0 | 1, fallback: () => Decision) {
    const { perMinute, perDay } = this.fallback.addressLimits;
    return this.redis.call<Decision>({
      script: ADMIT_ADDRESS,
      keys: [addressKey(this.redis.prefix, address)],
      args: [this.now(), perMinute, perDay, taking],
      read: decision,
      fallback,
    });
  }
}

function decision(reply: unknown): Decision {
  const [outcome = 0, limit = 0, windowSeconds = 0, remaining = 0, resetSeconds = 0, retryAfterSeconds = 0] =
    reply as number[];
  return {
    outcome: OUTCOMES[outcome] ?? 'limited',
    limit,
    windowSeconds,
    remaining,
    resetSeconds,
    retryAfterSeconds,
  };
}
