import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { Caller, Limits } from '../auth/index.js';
import type { Env } from '../config/index.js';
import type { RedisLink, Script } from '../redis/index.js';
import { ADMIT, ADMIT_ADDRESS, OUTCOMES, PEEK, TAKE_FROM_ROUTE } from './admission-scripts.js';
import { CounterStore } from './counter-store.js';
import type { Decision } from './decision.js';
import type { MemoryCounterStore } from './memory-counter-store.js';
import { type UsageReport, windowReport } from './usage-report.js';

const SWEEP_INTERVAL_MS = 1_000;

export interface RedisCounterStoreOptions {
  readonly link: RedisLink;
  /** Counts for this instance alone while Redis is away. */
  readonly fallback: MemoryCounterStore;
  readonly env: Env;
  /** Time in whole seconds of Unix time, for tests; that of Redis by default. */
  readonly nowSeconds?: () => number;
}

/**
 * Counts in Redis, for all instances together and on Redis' clock: one script call for each question. What belongs to
 * an account has its number in braces, so that a cluster keeps it in one slot.
 */
export class RedisCounterStore extends CounterStore implements OnModuleInit, OnApplicationShutdown {
  private readonly link: RedisLink;
  private readonly fallback: MemoryCounterStore;
  private readonly addressLimits: Limits;
  private readonly now: () => number | '';
  private timer: NodeJS.Timeout | undefined;

  constructor({ link, fallback, env, nowSeconds }: RedisCounterStoreOptions) {
    super();
    this.link = link;
    this.fallback = fallback;
    this.addressLimits = { perMinute: env.ANONYMOUS_PER_MINUTE, perDay: env.ANONYMOUS_PER_DAY };
    this.now = nowSeconds ?? (() => '');
  }

  onModuleInit(): void {
    this.timer = setInterval(() => this.fallback.sweep(), SWEEP_INTERVAL_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  override admit(caller: Caller): Decision | Promise<Decision> {
    return this.link.ask({ ...this.ofCaller(ADMIT, caller), read: decision, otherwise: () => this.fallback.admit(caller) });
  }

  override peek(caller: Caller): UsageReport | Promise<UsageReport> {
    return this.link.ask({
      ...this.ofCaller(PEEK, caller),
      read: (reply) => report(reply, caller.limits),
      otherwise: () => this.fallback.peek(caller),
    });
  }

  override admitAddress(address: string): Decision | Promise<Decision> {
    return this.askAddress(address, 1, () => this.fallback.admitAddress(address));
  }

  override peekAddress(address: string): Decision | Promise<Decision> {
    return this.askAddress(address, 0, () => this.fallback.peekAddress(address));
  }

  override takeFromRoute(subject: string, limit: number, windowSeconds: number): Decision | Promise<Decision> {
    return this.link.ask({
      script: TAKE_FROM_ROUTE,
      keys: [`${this.link.prefix}{route:${subject}}`],
      args: [this.now(), limit, windowSeconds],
      read: decision,
      otherwise: () => this.fallback.takeFromRoute(subject, limit, windowSeconds),
    });
  }

  private ofCaller(script: Script, { accountId, keyId, limits, bansLiftedAtMs }: Caller) {
    const account = `${this.link.prefix}{account:${accountId}}`;
    return {
      script,
      keys: [`${account}:usage`, `${account}:bans:${keyId}`],
      args: [this.now(), limits.perMinute, limits.perDay, bansLiftedAtMs],
    };
  }

  private askAddress(address: string, taking: 0 | 1, otherwise: () => Decision | Promise<Decision>) {
    const { perMinute, perDay } = this.addressLimits;
    return this.link.ask({
      script: ADMIT_ADDRESS,
      keys: [`${this.link.prefix}{address:${address}}:usage`],
      args: [this.now(), perMinute, perDay, taking],
      read: decision,
      otherwise,
    });
  }
}

function decision(reply: unknown): Decision {
  const [outcome, limit, remaining, resetSeconds, retryAfterSeconds] = reply as [0 | 1 | 2, number, number, number, number];
  return { outcome: OUTCOMES[outcome], limit, remaining, resetSeconds, retryAfterSeconds };
}

function report(reply: unknown, { perMinute, perDay }: Limits): UsageReport {
  const [minuteLeft, minuteEnd, dayLeft, dayEnd, strikes, bannedUntilSeconds] = reply as [number, number, number, number, number, number];
  return {
    minute: windowReport(perMinute, minuteLeft, minuteEnd),
    day: windowReport(perDay, dayLeft, dayEnd),
    strikes,
    bannedUntilSeconds,
  };
}
