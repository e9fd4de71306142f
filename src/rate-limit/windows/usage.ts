import type { Limits } from '../../accounts/index.js';
import { MergeableEntry } from '../memory/bounded-table.js';
import { decide, type Decision, tightestWindow, type UsageReport } from './decision.js';
import { DayWindow, FixedWindow, MINUTE_SECONDS } from './fixed-window.js';

/**
 * What one account or address has used of its minute and its day.
 * Both windows are taken from together or not at all, and only a request that is admitted opens one.
 */
export class Usage extends MergeableEntry<Usage> {
  readonly minute = new FixedWindow(MINUTE_SECONDS);
  readonly day = new DayWindow();

  take(limits: Limits, nowSeconds: number): Decision {
    const decision = this.decide(limits, 1, nowSeconds);
    if (decision.outcome === 'admitted') {
      this.minute.count(nowSeconds);
      this.day.count(nowSeconds);
    }
    return decision;
  }

  /** Counts a request of one key of an account that has just counted it. */
  countWithin(account: Usage): void {
    this.minute.countWithin(account.minute);
    this.day.countWithin(account.day);
  }

  /** What a key has used of its account's windows. */
  usedWithin({ minute, day }: Pick<UsageReport, 'minute' | 'day'>): UsageReport['key'] {
    return {
      minute: this.minute.usedWithin(minute.resetSeconds - minute.windowSeconds),
      day: this.day.usedWithin(day.resetSeconds - day.windowSeconds),
    };
  }

  /** The decision on a request that takes nothing. */
  peek(limits: Limits, nowSeconds: number): Decision {
    return this.decide(limits, 0, nowSeconds);
  }

  report({ perMinute, perDay }: Limits, nowSeconds: number): Pick<UsageReport, 'minute' | 'day'> {
    return { minute: this.minute.report(perMinute, nowSeconds), day: this.day.report(perDay, nowSeconds) };
  }

  override isOver(nowSeconds: number): boolean {
    return !this.minute.isOpen(nowSeconds) && !this.day.isOpen(nowSeconds);
  }

  override absorb(other: Usage, nowSeconds: number): void {
    this.minute.absorb(other.minute, nowSeconds);
    this.day.absorb(other.day, nowSeconds);
  }

  private decide(limits: Limits, taken: 0 | 1, nowSeconds: number): Decision {
    const { minute, day } = this.report(limits, nowSeconds);
    return decide(tightestWindow(minute, day), taken, nowSeconds);
  }
}

/** What one caller has used of one route's own limit. */
export class RouteUsage extends MergeableEntry<RouteUsage> {
  private readonly window = new FixedWindow();

  take(limit: number, windowSeconds: number, nowSeconds: number): Decision {
    this.window.lengthSeconds = windowSeconds;
    const decision = decide(this.window.report(limit, nowSeconds), 1, nowSeconds);
    if (decision.outcome === 'admitted') this.window.count(nowSeconds);
    return decision;
  }

  override isOver(nowSeconds: number): boolean {
    return !this.window.isOpen(nowSeconds);
  }

  override absorb({ window }: RouteUsage, nowSeconds: number): void {
    this.window.absorb(window, nowSeconds);
  }
}
