import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../auth/caller.js';
import type { Limits } from '../../auth/keys/plan.js';
import { WriteBehind } from '../../database/write-behind.js';
import type { Clock } from '../../platform/config/clock.js';
import type { Env } from '../../platform/config/env.js';
import { RecurringTask } from '../../platform/recurring-task.js';
import { CounterStore } from '../counter-store.js';
import { BanRecord } from '../windows/ban-record.js';
import { ban, type Decision, type UsageReport } from '../windows/decision.js';
import { FixedWindow, Usage } from '../windows/usage.js';

/** Maximum number of counters, at about 250 bytes each. Beyond it, the one that was not used for longest starts anew. */
const CAPACITIES = {
  accounts: 1_000_000,
  addresses: 200_000,
  /** Keys with rejections or bans of the last 24 hours. */
  bans: 100_000,
  /** Callers of routes with `@Throttle()`. */
  routes: 100_000,
};

const SWEEP_INTERVAL_MS = 1_000;

/** Of each table, which takes about a millisecond. */
const MOST_PER_SWEEP = 5_000;

export type Key = number | string;

/** The windows or the bans of one subject. It must be small, as there can be a million. */
export interface Counter {
  isOpen(nowSeconds: number): boolean;
  hasEnded(nowSeconds: number): boolean;
}

/** Counters by subject, in bounded memory. A full table removes the counter that was not used for longest. */
export class CounterTable<Entry extends Counter> extends LRUCache<Key, Entry> {
  /** The keys of counters that were changed or removed, if the table is persisted. */
  readonly changes: WriteBehind<Key, true> | undefined;

  constructor(capacity: number, isPersisted = false) {
    const changes = isPersisted ? new WriteBehind<Key, true>('counters', capacity) : undefined;
    // With `max`, the cache would allocate memory for all counters at once.
    super({ maxSize: capacity, sizeCalculation: () => 1, dispose: (_counter, key) => changes?.add(key, true) });
    this.changes = changes;
  }

  /** Records a change of a counter, and adds a new one to the table. */
  change(key: Key, counter: Entry): void {
    if (!this.has(key)) this.set(key, counter);
    this.changes?.add(key, true);
  }

  /** Removes counters that have ended, beginning with the one that was not used for longest; at most so many. */
  sweep(most: number, nowSeconds: number): void {
    for (let left = most; left > 0; left--) {
      const [oldest] = this.rkeys();
      const counter = oldest === undefined ? undefined : this.peek(oldest);
      if (oldest === undefined || counter === undefined || counter.isOpen(nowSeconds)) return;
      if (counter.hasEnded(nowSeconds)) this.delete(oldest);
      // It begins in the future, and makes way for others.
      else this.get(oldest);
    }
  }
}

export class MemoryCounterStore extends CounterStore {
  readonly accounts: CounterTable<Usage>;
  readonly addresses: CounterTable<Usage>;
  /** The requests of each key in the windows of its account. For reports only. */
  readonly keys: CounterTable<Usage>;
  readonly bans: CounterTable<BanRecord>;
  private readonly routes: CounterTable<FixedWindow>;
  readonly addressLimits: Limits;

  constructor(
    private readonly clock: Clock,
    env: Env,
    isPersisted = false,
    capacities: Partial<typeof CAPACITIES> = {},
  ) {
    super();
    const { accounts, addresses, bans, routes } = { ...CAPACITIES, ...capacities };
    this.addressLimits = { perMinute: env.ANONYMOUS_PER_MINUTE, perDay: env.ANONYMOUS_PER_DAY };
    this.accounts = new CounterTable(accounts, isPersisted);
    this.addresses = new CounterTable(addresses, isPersisted);
    this.keys = new CounterTable(accounts, isPersisted);
    this.bans = new CounterTable(bans, isPersisted);
    this.routes = new CounterTable(routes);
  }

  override admit(caller: Caller): Decision {
    const nowSeconds = this.clock.nowSeconds();
    const bannedUntilSeconds = this.bans.get(caller.keyId)?.activeUntil(caller.bansLiftedAtMs, nowSeconds) ?? 0;
    const account = this.accounts.get(caller.accountId) ?? new Usage();
    if (bannedUntilSeconds > 0) return ban(account.report(caller.limits, nowSeconds), bannedUntilSeconds, nowSeconds);
    const decision = account.take(caller.limits, nowSeconds);
    if (decision.outcome !== 'admitted') return this.strike(caller, account, decision);
    this.accounts.change(caller.accountId, account);
    const key = this.keys.get(caller.keyId) ?? new Usage();
    key.countWithin(account);
    this.keys.change(caller.keyId, key);
    return decision;
  }

  override peek({ accountId, keyId, limits, bansLiftedAtMs }: Caller): UsageReport {
    const nowSeconds = this.clock.nowSeconds();
    const bans = this.bans.get(keyId) ?? new BanRecord();
    const windows = (this.accounts.get(accountId) ?? new Usage()).report(limits, nowSeconds);
    return {
      ...windows,
      key: (this.keys.get(keyId) ?? new Usage()).usedWithin(windows),
      strikes: bans.currentStrikes(bansLiftedAtMs, nowSeconds),
      bannedUntilSeconds: bans.activeUntil(bansLiftedAtMs, nowSeconds),
      nowSeconds,
    };
  }

  override admitAddress(address: string): Decision {
    const nowSeconds = this.clock.nowSeconds();
    const usage = this.addresses.get(address) ?? new Usage();
    const decision = usage.take(this.addressLimits, nowSeconds);
    if (decision.outcome === 'admitted') this.addresses.change(address, usage);
    return decision;
  }

  override peekAddress(address: string): Decision {
    const usage = this.addresses.get(address) ?? new Usage();
    return usage.decide(this.addressLimits, 0, this.clock.nowSeconds());
  }

  override takeFromWindow(subject: string, limit: number, windowSeconds: number): Decision {
    const window = this.routes.get(subject) ?? new FixedWindow(windowSeconds);
    // A function in `@Throttle()` can return another length.
    window.lengthSeconds = windowSeconds;
    const decision = window.take(limit, this.clock.nowSeconds());
    if (decision.outcome === 'admitted') this.routes.change(subject, window);
    return decision;
  }

  sweep(): void {
    const nowSeconds = this.clock.nowSeconds();
    for (const table of [this.accounts, this.addresses, this.keys, this.bans, this.routes])
      table.sweep(MOST_PER_SWEEP, nowSeconds);
  }

  clearKeys(): void {
    this.keys.clear();
    this.bans.clear();
  }

  private strike({ keyId, limits, bansLiftedAtMs }: Caller, account: Usage, decision: Decision): Decision {
    const { nowSeconds } = decision;
    const record = this.bans.get(keyId) ?? new BanRecord();
    const bannedUntilSeconds = record.strike(limits.perMinute, bansLiftedAtMs, nowSeconds);
    this.bans.change(keyId, record);
    if (bannedUntilSeconds === 0) return decision;
    return ban(account.report(limits, nowSeconds), bannedUntilSeconds, nowSeconds);
  }
}

@Injectable()
export class CounterSweep extends RecurringTask {
  constructor(store: MemoryCounterStore) {
    super('sweeping the counters', SWEEP_INTERVAL_MS, async () => store.sweep());
  }
}
