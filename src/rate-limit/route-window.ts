import { admitted, type Decision, refused } from './decision.js';
import { MergeableEntry } from './table-entry.js';
import { isOpen } from './window.js';

/** What one caller has used of one route's own limit: a fixed window that the first admitted request opens. */
export class RouteWindow extends MergeableEntry<RouteWindow> {
  /** Whole seconds of Unix time. */
  startSeconds = 0;
  used = 0;
  lengthSeconds = 0;

  take(limit: number, lengthSeconds: number, nowSeconds: number): Decision {
    const open = isOpen(this.startSeconds, lengthSeconds, nowSeconds);
    const startSeconds = open ? this.startSeconds : nowSeconds;
    const used = open ? this.used : 0;
    if (used >= limit) return refused('limited', limit, startSeconds + lengthSeconds, nowSeconds);
    this.startSeconds = startSeconds;
    this.lengthSeconds = lengthSeconds;
    this.used = used + 1;
    return admitted(limit, limit - this.used, startSeconds + lengthSeconds);
  }

  override get weight(): number {
    return this.used;
  }

  override isOver(nowSeconds: number): boolean {
    return !isOpen(this.startSeconds, this.lengthSeconds, nowSeconds);
  }

  override absorb(other: RouteWindow, nowSeconds: number): void {
    if (other.isOver(nowSeconds)) return;
    const over = this.isOver(nowSeconds);
    this.startSeconds = over ? other.startSeconds : Math.max(this.startSeconds, other.startSeconds);
    this.used = over ? other.used : Math.max(this.used, other.used);
    this.lengthSeconds = over ? other.lengthSeconds : Math.max(this.lengthSeconds, other.lengthSeconds);
  }
}
