import type { Caller, Limits } from '../auth/index.js';
import type { Clock, Env } from '../config/index.js';
import { BanRecord } from './ban-record.js';
import { BoundedTable } from './bounded-table.js';
import { CounterStore } from './counter-store.js';
import { type Decision, refused } from './decision.js';
import { Journal } from './journal.js';
import { QuotaTable } from './quota-table.js';
import { RouteWindow } from './route-window.js';
import type { Key } from './table-entry.js';
import { Usage } from './usage.js';
import type { UsageReport } from './usage-report.js';

/** How many of each are counted one by one at the same time; bounds the memory, at about 150 bytes each. */
export interface Capacities {
  readonly accounts: number;
  readonly addresses: number;
  /** Keys with rejections or bans of the last 24 hours. */
  readonly bans: number;
  /** Callers of routes that have a limit of their own. */
  readonly routes: number;
  /** Number of counters that the accounts beyond share, the addresses beyond, and the callers of routes beyond. */
  readonly shared: number;
}

const CAPACITIES: Capacities = {
  accounts: 1_000_000,
  addresses: 200_000,
  bans: 100_000,
  routes: 100_000,
  shared: 65_536,
};

/** Entries of each table that one sweep looks at: a fraction of a millisecond, and a full round within minutes. */
const SWEEP_STEPS = 5_000;

/** Counts in the memory of this process. */
export class MemoryCounterStore extends CounterStore {
  readonly accounts: QuotaTable<Usage>;
  readonly addresses: QuotaTable<Usage>;
  readonly bans: BoundedTable<BanRecord>;
  readonly accountsJournal = new Journal<Usage>();
  readonly addressesJournal = new Journal<Usage>();
  readonly bansJournal = new Journal<BanRecord>();
  private readonly routes: QuotaTable<RouteWindow>;
  private readonly addressLimits: Limits;

  constructor(
    private readonly clock: Clock,
    env: Env,
    capacities: Partial<Capacities> = {},
  ) {
    super();
    const { accounts, addresses, bans, routes, shared } = { ...CAPACITIES, ...capacities };
    this.addressLimits = { perMinute: env.ANONYMOUS_PER_MINUTE, perDay: env.ANONYMOUS_PER_DAY };
    this.accounts = new QuotaTable({ capacity: accounts, shared, create: createUsage, journal: this.accountsJournal });
    this.addresses = new QuotaTable({ capacity: addresses, shared, create: createUsage, journal: this.addressesJournal });
    this.bans = new BoundedTable({ capacity: bans, create: (key) => new BanRecord(key), journal: this.bansJournal });
    this.routes = new QuotaTable({ capacity: routes, shared, create: (key) => new RouteWindow(key) });
  }

  override admit(caller: Caller): Decision {
    const nowSeconds = this.clock.nowSeconds();
    const bannedUntilSeconds = this.bannedUntil(caller, nowSeconds);
    if (bannedUntilSeconds > 0) return refused('banned', caller.limits.perMinute, bannedUntilSeconds, nowSeconds);
    const decision = take(this.accounts, caller.accountId, caller.limits, nowSeconds);
    return decision.outcome === 'admitted' ? decision : this.strike(caller, decision, nowSeconds);
  }

  override peek({ accountId, keyId, limits, bansLiftedAtMs }: Caller): UsageReport {
    const nowSeconds = this.clock.nowSeconds();
    const bans = this.bans.get(keyId);
    return {
      ...this.accounts.find(accountId, nowSeconds).report(limits, nowSeconds),
      strikes: bans?.currentStrikes(bansLiftedAtMs, nowSeconds) ?? 0,
      bannedUntilSeconds: bans?.activeUntil(bansLiftedAtMs, nowSeconds) ?? 0,
    };
  }

  override admitAddress(address: string): Decision {
    return take(this.addresses, address, this.addressLimits, this.clock.nowSeconds());
  }

  override peekAddress(address: string): Decision {
    const nowSeconds = this.clock.nowSeconds();
    return this.addresses.find(address, nowSeconds).peek(this.addressLimits, nowSeconds);
  }

  override takeFromRoute(subject: string, limit: number, windowSeconds: number): Decision {
    const nowSeconds = this.clock.nowSeconds();
    const window = this.routes.find(subject, nowSeconds);
    const decision = window.take(limit, windowSeconds, nowSeconds);
    if (decision.outcome === 'admitted') this.routes.keep(window, nowSeconds);
    return decision;
  }

  /** Drops some of what no longer counts; to be called now and then. */
  sweep(): void {
    const nowSeconds = this.clock.nowSeconds();
    for (const table of [this.accounts, this.addresses, this.bans, this.routes]) table.sweep(SWEEP_STEPS, nowSeconds);
  }

  private bannedUntil({ keyId, bansLiftedAtMs }: Caller, nowSeconds: number): number {
    if (this.bans.size === 0) return 0;
    return this.bans.get(keyId)?.activeUntil(bansLiftedAtMs, nowSeconds) ?? 0;
  }

  private strike({ keyId, limits, bansLiftedAtMs }: Caller, decision: Decision, nowSeconds: number): Decision {
    const record = this.bans.find(keyId, nowSeconds);
    const bannedUntilSeconds = record.strike(limits.perMinute, bansLiftedAtMs, nowSeconds);
    this.bans.keep(record, nowSeconds);
    return bannedUntilSeconds > 0 ? refused('banned', limits.perMinute, bannedUntilSeconds, nowSeconds) : decision;
  }
}

const createUsage = (key: Key) => new Usage(key);

function take(table: QuotaTable<Usage>, key: Key, limits: Limits, nowSeconds: number): Decision {
  const usage = table.find(key, nowSeconds);
  const decision = usage.take(limits, nowSeconds);
  if (decision.outcome === 'admitted') table.keep(usage, nowSeconds);
  return decision;
}
