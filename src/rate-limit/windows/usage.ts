import type { Limits } from '../../auth/keys/plan.js';
import { type BothWindows, decide, type Decision, type UsageReport, type WindowReport } from './decision.js';

export const MINUTE_SECONDS = 60;
export const HOUR_SECONDS = 3_600;
export const DAY_SECONDS = 86_400;
/** How far the clock can step back without voiding windows that begin in the future. */
export const STEP_BACK_SECONDS = 60;

export function startOfHour(nowSeconds: number): number {
  return nowSeconds - (nowSeconds % HOUR_SECONDS);
}

/**
 * Whether a window is open. Times are whole seconds of Unix time.
 * A window that begins in the future was opened before the clock stepped back. After a small step it stays open, so that
 * the step gives no new quota. After a large step it is void, because it would block its owner until then.
 */
export function isOpen(startSeconds: number, lengthSeconds: number, nowSeconds: number): boolean {
  return !hasEnded(startSeconds, lengthSeconds, nowSeconds) && nowSeconds - startSeconds >= -STEP_BACK_SECONDS;
}

/** A window that begins in the future has not ended: it is valid again once the clock is right. */
export function hasEnded(startSeconds: number, lengthSeconds: number, nowSeconds: number): boolean {
  return nowSeconds - startSeconds >= lengthSeconds;
}

/** Requests in a window of fixed length, which the first request opens. */
export class FixedWindow {
  startSeconds = 0;
  used = 0;

  constructor(public lengthSeconds: number) {}

  isOpen(nowSeconds: number): boolean {
    return isOpen(this.startSeconds, this.lengthSeconds, nowSeconds);
  }

  hasEnded(nowSeconds: number): boolean {
    return hasEnded(this.startSeconds, this.lengthSeconds, nowSeconds);
  }

  take(limit: number, nowSeconds: number): Decision {
    const decision = decide([this.report(limit, nowSeconds)], 1, nowSeconds);
    if (decision.outcome === 'admitted') this.count(nowSeconds);
    return decision;
  }

  /** The window before the next request. */
  report(limit: number, nowSeconds: number): WindowReport {
    const open = this.isOpen(nowSeconds);
    return {
      limit,
      windowSeconds: this.lengthSeconds,
      // The limit may have been lowered below the count.
      remaining: open ? Math.max(0, limit - this.used) : limit,
      resetSeconds: (open ? this.startSeconds : this.opensAt(nowSeconds)) + this.lengthSeconds,
    };
  }

  count(nowSeconds: number): void {
    if (!this.isOpen(nowSeconds)) {
      this.startSeconds = this.opensAt(nowSeconds);
      this.used = 0;
    }
    this.used += 1;
  }

  /** Counts a request of a key in the window of its account. */
  countWithin({ startSeconds }: FixedWindow): void {
    this.used = this.usedWithin(startSeconds) + 1;
    this.startSeconds = startSeconds;
  }

  usedWithin(startSeconds: number): number {
    return this.startSeconds === startSeconds ? this.used : 0;
  }

  protected opensAt(nowSeconds: number): number {
    return nowSeconds;
  }
}

/** The UTC day. */
class DayWindow extends FixedWindow {
  protected override opensAt(nowSeconds: number): number {
    return nowSeconds - (nowSeconds % DAY_SECONDS);
  }
}

/** The windows of one account, address or key. A request is taken from both or neither, and opens them only if admitted. */
export class Usage {
  readonly minute = new FixedWindow(MINUTE_SECONDS);
  readonly day = new DayWindow(DAY_SECONDS);

  take(limits: Limits, nowSeconds: number): Decision {
    const decision = this.decide(limits, 1, nowSeconds);
    if (decision.outcome === 'admitted') {
      this.minute.count(nowSeconds);
      this.day.count(nowSeconds);
    }
    return decision;
  }

  countWithin(account: Usage): void {
    this.minute.countWithin(account.minute);
    this.day.countWithin(account.day);
  }

  usedWithin({ minute, day }: BothWindows): UsageReport['key'] {
    return {
      minute: this.minute.usedWithin(minute.resetSeconds - minute.windowSeconds),
      day: this.day.usedWithin(day.resetSeconds - day.windowSeconds),
    };
  }

  report({ perMinute, perDay }: Limits, nowSeconds: number): BothWindows {
    return { minute: this.minute.report(perMinute, nowSeconds), day: this.day.report(perDay, nowSeconds) };
  }

  isOpen(nowSeconds: number): boolean {
    return this.minute.isOpen(nowSeconds) || this.day.isOpen(nowSeconds);
  }

  hasEnded(nowSeconds: number): boolean {
    return this.minute.hasEnded(nowSeconds) && this.day.hasEnded(nowSeconds);
  }

  /** Counts nothing. */
  decide(limits: Limits, taken: 0 | 1, nowSeconds: number): Decision {
    const { minute, day } = this.report(limits, nowSeconds);
    return decide([minute, day], taken, nowSeconds);
  }
}
