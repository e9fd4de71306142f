import { Injectable, Module, Optional } from '@nestjs/common';
import { Like } from 'typeorm';
import { Account, limitsOf, type Limits, type PlanName } from '../accounts/index.js';
import { chunksOf, Database } from '../database/index.js';
import { Clock, Env, RedisClient, RedisModule } from '../platform/index.js';
import { UsageHistory } from './history/usage-history.js';
import { MemoryCounterStore } from './memory/memory-counter-store.js';
import { UsageWindow } from './persistence/usage-window.entity.js';
import { RedisCounterStore } from './redis/redis-counter-store.js';
import { Usage } from './windows/usage.js';

/** What an account has used of its limits in the current windows. */
export interface AccountUsage {
  readonly account: string;
  readonly plan: PlanName;
  readonly minute: { readonly used: number; readonly limit: number };
  readonly day: { readonly used: number; readonly limit: number };
}

type Used = Readonly<Record<'minute' | 'day', number>>;

/** Reads the usage of all accounts where services keep it, for operators. */
@Injectable()
export class AccountUsageReader {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly env: Env,
    @Optional() private readonly redis?: RedisClient,
  ) {}

  /**
   * Of all accounts, those with most requests of the day first.
   * @throws (rejects) Error if the counters are in Redis, and it is unavailable
   */
  async readAll(): Promise<AccountUsage[]> {
    const accounts = await this.database.read((manager) => manager.find(Account));
    const used = this.redis === undefined ? await this.inDatabase() : await this.inRedis(this.redis, accounts);
    const usages = accounts.map(({ id, name, ...terms }) => {
      const { perMinute, perDay } = limitsOf(terms);
      const { minute = 0, day = 0 } = used.get(id) ?? {};
      const windows = { minute: { used: minute, limit: perMinute }, day: { used: day, limit: perDay } };
      return { account: name, plan: terms.plan, ...windows };
    });
    return usages.toSorted((a, b) => b.day.used - a.day.used || b.minute.used - a.minute.used);
  }

  private async inDatabase(): Promise<Map<number, Used>> {
    const prefix = 'account:';
    const rows = await this.database.read((manager) =>
      manager.find(UsageWindow, { where: { subject: Like(`${prefix}%`) } }),
    );
    const nowSeconds = this.clock.nowSeconds();
    return new Map(rows.map((row) => [Number(row.subject.slice(prefix.length)), usedOf(row.toCounter(), nowSeconds)]));
  }

  private async inRedis(redis: RedisClient, accounts: readonly Account[]): Promise<Map<number, Used>> {
    const counters = new RedisCounterStore(redis, new MemoryCounterStore(this.clock, this.env));
    const used = new Map<number, Used>();
    for (const chunk of chunksOf(accounts)) {
      await Promise.all(
        chunk.map(async (account) => {
          const limits = limitsOf(account);
          const { minute, day } = await counters.peek(anyKeyOf(account, limits));
          used.set(account.id, { minute: limits.perMinute - minute.remaining, day: limits.perDay - day.remaining });
        }),
      );
    }
    if (redis.fallbacks > 0) throw new Error('Redis is unavailable, so the usage is not known.');
    return used;
  }
}

function usedOf({ minute, day }: Usage, nowSeconds: number): Used {
  return { minute: minute.isOpen(nowSeconds) ? minute.used : 0, day: day.isOpen(nowSeconds) ? day.used : 0 };
}

/** Keys of an account share its windows. */
function anyKeyOf({ id, name, plan }: Account, limits: Limits) {
  return { keyId: '', accountId: id, account: name, plan, limits, scopes: new Set<string>(), bansLiftedAtMs: 0 };
}

@Module({ imports: [RedisModule], providers: [AccountUsageReader, UsageHistory] })
export class AccountUsageModule {}
