import type { WindowReport } from './decision.js';

export const MINUTE_SECONDS = 60;
export const DAY_SECONDS = 86_400;

/** How far the clock may step back before a window counts as one of the future, in seconds. */
export const STEP_BACK_SECONDS = 60;

/**
 * Whether a window still counts. All times are whole seconds of Unix time.
 * A window that has not begun yet was opened before the clock stepped back: after a small step it holds, since the
 * step must give nobody fresh quota; after a large one it is void, since it would lock its owner out until then.
 */
export function isOpen(startSeconds: number, lengthSeconds: number, nowSeconds: number): boolean {
  const ageSeconds = nowSeconds - startSeconds;
  return ageSeconds < lengthSeconds && ageSeconds >= -STEP_BACK_SECONDS;
}

/** Requests in a window of fixed length, which the first of them opens. */
export class FixedWindow {
  startSeconds = 0;
  used = 0;

  constructor(public lengthSeconds = 0) {}

  isOpen(nowSeconds: number): boolean {
    return isOpen(this.startSeconds, this.lengthSeconds, nowSeconds);
  }

  /** The window as the next request would find it. */
  report(limit: number, nowSeconds: number): WindowReport {
    const open = this.isOpen(nowSeconds);
    return {
      limit,
      windowSeconds: this.lengthSeconds,
      // The limit may have been lowered below what is used.
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

  /** Counts a request of a part of what another window counts. */
  countWithin({ startSeconds }: FixedWindow): void {
    this.used = this.usedWithin(startSeconds) + 1;
    this.startSeconds = startSeconds;
  }

  /** What was counted in a window that began then. */
  usedWithin(startSeconds: number): number {
    return this.startSeconds === startSeconds ? this.used : 0;
  }

  /** Takes the higher count and the later start of both, where both are open. */
  absorb(other: FixedWindow, nowSeconds: number): void {
    if (!other.isOpen(nowSeconds)) return;
    const open = this.isOpen(nowSeconds);
    this.used = open ? Math.max(this.used, other.used) : other.used;
    this.startSeconds = open ? Math.max(this.startSeconds, other.startSeconds) : other.startSeconds;
    this.lengthSeconds = other.lengthSeconds;
  }

  protected opensAt(nowSeconds: number): number {
    return nowSeconds;
  }
}

/** The UTC day. */
export class DayWindow extends FixedWindow {
  constructor() {
    super(DAY_SECONDS);
  }

  protected override opensAt(nowSeconds: number): number {
    return nowSeconds - (nowSeconds % DAY_SECONDS);
  }
}
