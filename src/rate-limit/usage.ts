import type { Limits } from '../auth/index.js';
import { admitted, type Decision, refused } from './decision.js';
import { MergeableEntry } from './table-entry.js';
import { tightestWindow, type UsageReport, windowReport } from './usage-report.js';
import { DAY_SECONDS, dayStart, isOpen, MINUTE_SECONDS } from './window.js';

/**
 * What one account or address has used of its minute and its day. Times are whole seconds of Unix time.
 * Both windows are taken from together or not at all, and only a request that is admitted opens one.
 */
export class Usage extends MergeableEntry<Usage> {
  minuteStartSeconds = 0;
  minuteUsed = 0;
  dayStartSeconds = 0;
  dayUsed = 0;

  take(limits: Limits, nowSeconds: number): Decision {
    const decision = this.decide(limits, nowSeconds, 1);
    if (decision.outcome === 'admitted') this.count(nowSeconds);
    return decision;
  }

  /** The decision on a request that takes nothing. */
  peek(limits: Limits, nowSeconds: number): Decision {
    return this.decide(limits, nowSeconds, 0);
  }

  /** Both windows as the next request would find them. */
  report({ perMinute, perDay }: Limits, nowSeconds: number): Pick<UsageReport, 'minute' | 'day'> {
    const minuteOpen = this.isMinuteOpen(nowSeconds);
    const dayOpen = this.isDayOpen(nowSeconds);
    const minuteEndSeconds = (minuteOpen ? this.minuteStartSeconds : nowSeconds) + MINUTE_SECONDS;
    const dayEndSeconds = (dayOpen ? this.dayStartSeconds : dayStart(nowSeconds)) + DAY_SECONDS;
    return {
      minute: windowReport(perMinute, perMinute - (minuteOpen ? this.minuteUsed : 0), minuteEndSeconds),
      day: windowReport(perDay, perDay - (dayOpen ? this.dayUsed : 0), dayEndSeconds),
    };
  }

  override get weight(): number {
    return Math.max(this.minuteUsed, this.dayUsed);
  }

  override isOver(nowSeconds: number): boolean {
    return !this.isMinuteOpen(nowSeconds) && !this.isDayOpen(nowSeconds);
  }

  override absorb(other: Usage, nowSeconds: number): void {
    if (other.isMinuteOpen(nowSeconds)) {
      const open = this.isMinuteOpen(nowSeconds);
      this.minuteUsed = open ? Math.max(this.minuteUsed, other.minuteUsed) : other.minuteUsed;
      this.minuteStartSeconds = open
        ? Math.max(this.minuteStartSeconds, other.minuteStartSeconds)
        : other.minuteStartSeconds;
    }
    if (other.isDayOpen(nowSeconds)) {
      const open = this.isDayOpen(nowSeconds);
      this.dayUsed = open ? Math.max(this.dayUsed, other.dayUsed) : other.dayUsed;
      this.dayStartSeconds = open ? Math.max(this.dayStartSeconds, other.dayStartSeconds) : other.dayStartSeconds;
    }
  }

  private decide(limits: Limits, nowSeconds: number, taking: 0 | 1): Decision {
    const { minute, day } = this.report(limits, nowSeconds);
    const { limit, remaining, resetSeconds } = tightestWindow(minute, day);
    return remaining > 0 ? admitted(limit, remaining - taking, resetSeconds) : refused('limited', limit, resetSeconds, nowSeconds);
  }

  private count(nowSeconds: number): void {
    if (this.isMinuteOpen(nowSeconds)) {
      this.minuteUsed += 1;
    } else {
      this.minuteStartSeconds = nowSeconds;
      this.minuteUsed = 1;
    }
    if (this.isDayOpen(nowSeconds)) {
      this.dayUsed += 1;
    } else {
      this.dayStartSeconds = dayStart(nowSeconds);
      this.dayUsed = 1;
    }
  }

  private isMinuteOpen(nowSeconds: number): boolean {
    return isOpen(this.minuteStartSeconds, MINUTE_SECONDS, nowSeconds);
  }

  private isDayOpen(nowSeconds: number): boolean {
    return isOpen(this.dayStartSeconds, DAY_SECONDS, nowSeconds);
  }
}
