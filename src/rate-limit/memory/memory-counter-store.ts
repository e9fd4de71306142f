import type { Caller } from '../../auth/index.js';
import type { Limits } from '../../accounts/index.js';
import type { Clock, Env } from '../../config/index.js';
import { CounterStore } from '../counter-store.js';
import { BanRecord } from '../windows/ban-record.js';
import { type Decision, refuse, type UsageReport } from '../windows/decision.js';
import { MINUTE_SECONDS, RouteUsage, Usage } from '../windows/usage.js';
import { BoundedTable, type Key, QuotaTable } from './bounded-table.js';

/** Maximum number of entries that are counted separately, at about 250 bytes each. */
const CAPACITIES = {
  accounts: 1_000_000,
  addresses: 200_000,
  /** Keys with rejections or bans of the last 24 hours. */
  bans: 100_000,
  /** Callers of routes with `@Throttle()`. */
  routes: 100_000,
  /** Number of counters that further accounts share; the same for addresses and for callers of routes. */
  shared: 65_536,
};

/** Entries of each table that one sweep checks. It takes a fraction of a millisecond, and a full round some minutes. */
const SWEEP_STEPS = 5_000;

/** Counts requests in the memory of this process. */
export class MemoryCounterStore extends CounterStore {
  readonly accounts: QuotaTable<Usage>;
  readonly addresses: QuotaTable<Usage>;
  /** The requests of each key in the windows of its account. For reports only. */
  readonly keys: BoundedTable<Usage>;
  readonly bans: BoundedTable<BanRecord>;
  private readonly routes: QuotaTable<RouteUsage>;
  readonly addressLimits: Limits;

  constructor(
    private readonly clock: Clock,
    env: Env,
    capacities: Partial<typeof CAPACITIES> = {},
  ) {
    super();
    const { accounts, addresses, bans, routes, shared } = { ...CAPACITIES, ...capacities };
    const usage = { shared, create: (key: Key) => new Usage(key), tracksChanges: true };
    this.addressLimits = { perMinute: env.ANONYMOUS_PER_MINUTE, perDay: env.ANONYMOUS_PER_DAY };
    this.accounts = new QuotaTable({ ...usage, capacity: accounts });
    this.addresses = new QuotaTable({ ...usage, capacity: addresses });
    this.keys = new BoundedTable({ ...usage, capacity: accounts });
    this.bans = new BoundedTable({ capacity: bans, create: (key) => new BanRecord(key), tracksChanges: true });
    this.routes = new QuotaTable({ capacity: routes, shared, create: (key) => new RouteUsage(key) });
  }

  override admit(caller: Caller): Decision {
    const nowSeconds = this.clock.nowSeconds();
    const bannedUntilSeconds = this.bans.get(caller.keyId)?.activeUntil(caller.bansLiftedAtMs, nowSeconds) ?? 0;
    if (bannedUntilSeconds > 0) return banned(caller, bannedUntilSeconds, nowSeconds);
    const account = this.accounts.find(caller.accountId, nowSeconds);
    const decision = account.take(caller.limits, nowSeconds);
    if (decision.outcome !== 'admitted') return this.strike(caller, decision, nowSeconds);
    this.accounts.keep(account, nowSeconds);
    const key = this.keys.find(caller.keyId, nowSeconds);
    key.countWithin(account);
    this.keys.keep(key, nowSeconds);
    return decision;
  }

  override peek({ accountId, keyId, limits, bansLiftedAtMs }: Caller): UsageReport {
    const nowSeconds = this.clock.nowSeconds();
    const bans = this.bans.get(keyId);
    const windows = this.accounts.find(accountId, nowSeconds).report(limits, nowSeconds);
    return {
      ...windows,
      key: this.keys.find(keyId, nowSeconds).usedWithin(windows),
      strikes: bans?.currentStrikes(bansLiftedAtMs, nowSeconds) ?? 0,
      bannedUntilSeconds: bans?.activeUntil(bansLiftedAtMs, nowSeconds) ?? 0,
    };
  }

  override admitAddress(address: string): Decision {
    const nowSeconds = this.clock.nowSeconds();
    const usage = this.addresses.find(address, nowSeconds);
    const decision = usage.take(this.addressLimits, nowSeconds);
    if (decision.outcome === 'admitted') this.addresses.keep(usage, nowSeconds);
    return decision;
  }

  override peekAddress(address: string): Decision {
    const nowSeconds = this.clock.nowSeconds();
    return this.addresses.find(address, nowSeconds).peek(this.addressLimits, nowSeconds);
  }

  override takeFromRoute(subject: string, limit: number, windowSeconds: number): Decision {
    const nowSeconds = this.clock.nowSeconds();
    const usage = this.routes.find(subject, nowSeconds);
    const decision = usage.take(limit, windowSeconds, nowSeconds);
    if (decision.outcome === 'admitted') this.routes.keep(usage, nowSeconds);
    return decision;
  }

  /** Removes some of the entries that have ended. Call it regularly. */
  sweep(): void {
    const nowSeconds = this.clock.nowSeconds();
    for (const table of [this.accounts, this.addresses, this.keys, this.bans, this.routes])
      table.sweep(SWEEP_STEPS, nowSeconds);
  }

  private strike(caller: Caller, decision: Decision, nowSeconds: number): Decision {
    const { keyId, limits, bansLiftedAtMs } = caller;
    const record = this.bans.find(keyId, nowSeconds);
    const bannedUntilSeconds = record.strike(limits.perMinute, bansLiftedAtMs, nowSeconds);
    this.bans.keep(record, nowSeconds);
    return bannedUntilSeconds > 0 ? banned(caller, bannedUntilSeconds, nowSeconds) : decision;
  }
}

function banned({ limits }: Caller, untilSeconds: number, nowSeconds: number): Decision {
  const ban = { limit: limits.perMinute, windowSeconds: MINUTE_SECONDS, resetSeconds: untilSeconds };
  return refuse('banned', ban, nowSeconds);
}
