import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { CounterStore } from './counter-store.js';
import type { Decision } from './windows/decision.js';

type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** A record of @nestjs/throttler, with the decision of the counters. */
export interface CounterThrottlerRecord extends ThrottlerStorageRecord {
  readonly decision: Decision;
}

/** Counts requests for `@Throttle()` in fixed windows of whole seconds, in the counter store of the plans. */
@Injectable()
export class CounterThrottlerStorage implements ThrottlerStorage {
  constructor(private readonly counters: CounterStore) {}

  /** @param ttlMs length of the window in milliseconds, rounded up to whole seconds */
  async increment(key: string, ttlMs: number, limit: number): Promise<CounterThrottlerRecord> {
    const decision = await this.counters.takeFromRoute(key, limit, Math.max(1, Math.ceil(ttlMs / 1000)));
    const { remaining, retryAfterSeconds } = decision;
    const isBlocked = decision.outcome !== 'admitted';
    const totalHits = isBlocked ? limit + 1 : limit - remaining;
    return { totalHits, timeToExpire: retryAfterSeconds, isBlocked, timeToBlockExpire: retryAfterSeconds, decision };
  }
}
