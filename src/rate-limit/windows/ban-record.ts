import { DAY_SECONDS, hasEnded, isOpen, MINUTE_SECONDS } from './usage.js';

export const FIRST_BAN_SECONDS = 60;
export const LONGEST_BAN_SECONDS = 3_600;
/** Bans beyond this number do not make the next one longer. */
export const BANS_TO_REMEMBER = Math.ceil(Math.log2(LONGEST_BAN_SECONDS / FIRST_BAN_SECONDS));

/**
 * A key's rejections of the current minute and its bans of the last 24 hours. Times are whole seconds of Unix time.
 * `liftedAtMs` is when an operator last lifted the key's bans, in Unix milliseconds. Bans that began up to then are void.
 */
export class BanRecord {
  strikesStartSeconds = 0;
  strikes = 0;
  bannedUntilSeconds = 0;
  /** Oldest first. */
  banStartsSeconds: readonly number[] = [];

  /** The end of the current ban; 0 if there is none. */
  activeUntil(liftedAtMs: number, nowSeconds: number): number {
    const startSeconds = this.banStartsSeconds.at(-1);
    if (startSeconds === undefined || isLifted(startSeconds, liftedAtMs)) return 0;
    return isOpen(startSeconds, this.bannedUntilSeconds - startSeconds, nowSeconds) ? this.bannedUntilSeconds : 0;
  }

  /** @returns the end of the ban that this rejection caused, or 0 */
  strike(strikesToBan: number, liftedAtMs: number, nowSeconds: number): number {
    this.strikes = this.currentStrikes(liftedAtMs, nowSeconds);
    if (this.strikes === 0) this.strikesStartSeconds = nowSeconds;
    this.strikes += 1;
    if (this.strikes < strikesToBan) return 0;
    this.strikes = 0;
    return this.ban(liftedAtMs, nowSeconds);
  }

  currentStrikes(liftedAtMs: number, nowSeconds: number): number {
    // Strikes of the second of the lift are kept, because it is unknown which of them came before the lift.
    return this.isStriking(nowSeconds) && !isLifted(this.strikesStartSeconds + 1, liftedAtMs) ? this.strikes : 0;
  }

  isOpen(nowSeconds: number): boolean {
    return this.isStriking(nowSeconds) || this.banStartsSeconds.some((start) => isOpen(start, DAY_SECONDS, nowSeconds));
  }

  hasEnded(nowSeconds: number): boolean {
    const isStrikeOver = this.strikes === 0 || hasEnded(this.strikesStartSeconds, MINUTE_SECONDS, nowSeconds);
    return isStrikeOver && this.banStartsSeconds.every((start) => hasEnded(start, DAY_SECONDS, nowSeconds));
  }

  private ban(liftedAtMs: number, nowSeconds: number): number {
    const earlier = this.banStartsSeconds.filter(
      (start) => isOpen(start, DAY_SECONDS, nowSeconds) && !isLifted(start, liftedAtMs),
    );
    this.banStartsSeconds = [...earlier, nowSeconds].slice(-BANS_TO_REMEMBER);
    this.bannedUntilSeconds = nowSeconds + Math.min(LONGEST_BAN_SECONDS, FIRST_BAN_SECONDS * 2 ** earlier.length);
    return this.bannedUntilSeconds;
  }

  private isStriking(nowSeconds: number): boolean {
    return this.strikes > 0 && isOpen(this.strikesStartSeconds, MINUTE_SECONDS, nowSeconds);
  }
}

function isLifted(startSeconds: number, liftedAtMs: number): boolean {
  return startSeconds * 1000 <= liftedAtMs;
}
