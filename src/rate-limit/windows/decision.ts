/** One window of a limit, with the values of the rate-limit headers. */
export interface WindowReport {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** End of the window, in whole seconds of Unix time. If none is open, the end of one that would begin now. */
  readonly resetSeconds: number;
}

/** The decision on one request, with the window that the headers show: for a ban, the minute with the end of the ban. */
export interface Decision extends WindowReport {
  readonly outcome: 'admitted' | 'limited' | 'banned';
  /** 0 if admitted, otherwise at least 1. */
  readonly retryAfterSeconds: number;
  /** All windows that the request counts in. */
  readonly windows: readonly WindowReport[];
  /** When it was made, on the clock of the store. */
  readonly nowSeconds: number;
}

/** The usage of a caller, on the clock of the store. */
export interface UsageReport {
  readonly minute: WindowReport;
  readonly day: WindowReport;
  /** Requests of the key in both windows. */
  readonly key: { readonly minute: number; readonly day: number };
  /** Rejections of the key in the current minute, which count towards a ban. */
  readonly strikes: number;
  /** End of the key's ban, in whole seconds of Unix time; 0 if there is none. */
  readonly bannedUntilSeconds: number;
  readonly nowSeconds: number;
}

export type BothWindows = Pick<UsageReport, 'minute' | 'day'>;

/**
 * Decides on a request, which all windows must admit.
 * @param windows before the request, the shorter one first
 * @param taken requests that it takes from each window; 0 only looks
 */
export function decide(windows: readonly WindowReport[], taken: 0 | 1, nowSeconds: number): Decision {
  const shown = windows.reduce(tighter);
  if (shown.remaining === 0) return refuse('limited', shown, nowSeconds, windows);
  const left = windows.map((window) => ({ ...window, remaining: window.remaining - taken }));
  // Spread last, because V8 takes twenty times as long to add properties to a copy.
  return { outcome: 'admitted', retryAfterSeconds: 0, windows: left, nowSeconds, ...left.reduce(tighter) };
}

export function ban({ minute, day }: BothWindows, untilSeconds: number, nowSeconds: number): Decision {
  const banned = { ...minute, remaining: 0, resetSeconds: untilSeconds };
  return refuse('banned', banned, nowSeconds, [banned, day]);
}

/** @param nowSeconds Unix time rounded down; `resetSeconds` is whole, so the difference is the wait rounded up */
export function refuse(
  outcome: 'limited' | 'banned',
  { limit, windowSeconds, resetSeconds }: Omit<WindowReport, 'remaining'>,
  nowSeconds: number,
  windows?: readonly WindowReport[],
): Decision {
  const shown = { limit, windowSeconds, remaining: 0, resetSeconds };
  const retryAfterSeconds = Math.max(1, resetSeconds - nowSeconds);
  return { outcome, retryAfterSeconds, windows: windows ?? [shown], nowSeconds, ...shown };
}

/** The one with fewer requests left (ties: the longer); if both are exhausted, the one that resets later (ties: the longer). */
function tighter(shorter: WindowReport, longer: WindowReport): WindowReport {
  if (shorter.remaining > 0 || longer.remaining > 0) return shorter.remaining < longer.remaining ? shorter : longer;
  return shorter.resetSeconds > longer.resetSeconds ? shorter : longer;
}

/** Decides on a request of a key, or with `taken` 0 says what the next one would see. */
export function decideOn(usage: Omit<UsageReport, 'key' | 'strikes'>, taken: 0 | 1): Decision {
  const { minute, day, bannedUntilSeconds, nowSeconds } = usage;
  return bannedUntilSeconds > 0 ? ban(usage, bannedUntilSeconds, nowSeconds) : decide([minute, day], taken, nowSeconds);
}
