export interface WindowReport {
  readonly limit: number;
  /** Requests left; never negative. */
  readonly remaining: number;
  /** End of the window, in whole seconds of Unix time; of one that would begin now, where none is open. */
  readonly resetSeconds: number;
}

/** What a caller has left, and what threatens it. */
export interface UsageReport {
  readonly minute: WindowReport;
  readonly day: WindowReport;
  /** Rejections of the key in the current minute, which count towards a ban. */
  readonly strikes: number;
  /** End of the key's ban, in whole seconds of Unix time; 0 when there is none. */
  readonly bannedUntilSeconds: number;
}

/** @param left may be below 0, where the limit was lowered */
export function windowReport(limit: number, left: number, resetSeconds: number): WindowReport {
  return { limit, remaining: Math.max(0, left), resetSeconds };
}

/** The window that the rate-limit headers show: the one with the least left, on a tie the longer; of two exhausted, the later. */
export function tightestWindow(minute: WindowReport, day: WindowReport): WindowReport {
  if (minute.remaining > 0 || day.remaining > 0) return minute.remaining < day.remaining ? minute : day;
  return minute.resetSeconds > day.resetSeconds ? minute : day;
}

/** What the rate-limit headers of any answer to the caller show at the moment: during a ban, its end. */
export function shownWindow({ minute, day, bannedUntilSeconds }: UsageReport): WindowReport {
  if (bannedUntilSeconds > 0) return { limit: minute.limit, remaining: 0, resetSeconds: bannedUntilSeconds };
  return tightestWindow(minute, day);
}
