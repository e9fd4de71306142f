import { type Problem, problem } from '../../http/index.js';

export const REMAINING_HEADER = 'x-ratelimit-remaining';

const WINDOW_NAMES = new Map([
  [1, 'second'],
  [60, 'minute'],
  [3_600, 'hour'],
  [86_400, 'day'],
]);

/** One window of a limit, with the values of the rate-limit headers (specification, section 8). */
export interface WindowReport {
  readonly limit: number;
  /** Length of the window, in seconds. */
  readonly windowSeconds: number;
  /** Requests left; never negative. */
  readonly remaining: number;
  /** End of the window, in whole seconds of Unix time. If none is open, the end of one that would begin now. */
  readonly resetSeconds: number;
}

/** The decision on one request. For a ban, the window is the minute, and its end is that of the ban. */
export interface Decision extends WindowReport {
  readonly outcome: 'admitted' | 'limited' | 'banned';
  /** 0 if admitted, otherwise at least 1. */
  readonly retryAfterSeconds: number;
}

/** The usage of a caller. */
export interface UsageReport {
  readonly minute: WindowReport;
  readonly day: WindowReport;
  /** Requests of the key in both windows. */
  readonly key: { readonly minute: number; readonly day: number };
  /** Rejections of the key in the current minute, which count towards a ban. */
  readonly strikes: number;
  /** End of the key's ban, in whole seconds of Unix time; 0 if there is none. */
  readonly bannedUntilSeconds: number;
}

/** The windows of an account or an address. */
export type BothWindows = Pick<UsageReport, 'minute' | 'day'>;

/**
 * Decides on a request.
 * @param window before the request
 * @param taken requests that it takes from the window; 0 only looks
 */
export function decide(window: WindowReport, taken: 0 | 1, nowSeconds: number): Decision {
  if (window.remaining === 0) return refuse('limited', window, nowSeconds);
  return { ...window, outcome: 'admitted', remaining: window.remaining - taken, retryAfterSeconds: 0 };
}

/** @param nowSeconds Unix time rounded down; `resetSeconds` is whole, so the difference is the wait rounded up */
export function refuse(
  outcome: 'limited' | 'banned',
  window: Omit<WindowReport, 'remaining'>,
  nowSeconds: number,
): Decision {
  return { ...window, outcome, remaining: 0, retryAfterSeconds: Math.max(1, window.resetSeconds - nowSeconds) };
}

/**
 * The window that the headers show: the one with fewer requests left (ties: the day); if both are exhausted, the one that
 * resets later.
 */
export function tightestWindow({ minute, day }: BothWindows): WindowReport {
  if (minute.remaining > 0 || day.remaining > 0) return minute.remaining < day.remaining ? minute : day;
  return minute.resetSeconds > day.resetSeconds ? minute : day;
}

/** The window that the rate-limit headers of the caller show: during a ban, the end of the ban. */
export function shownWindow(usage: UsageReport): WindowReport {
  const { minute, bannedUntilSeconds } = usage;
  if (bannedUntilSeconds > 0) return { ...minute, remaining: 0, resetSeconds: bannedUntilSeconds };
  return tightestWindow(usage);
}

/** The rate-limit headers (specification, section 8). */
export function rateLimitHeaders(window: WindowReport): Record<string, string> {
  return {
    'x-ratelimit-limit': String(window.limit),
    [REMAINING_HEADER]: String(window.remaining),
    'x-ratelimit-reset': String(window.resetSeconds),
  };
}

/**
 * The 429 of a request that was not admitted. Its message names the exhausted window.
 * @param scope the requests that the limit counts, such as ` for this operation`; empty for the plan of an account
 */
export function tooManyRequests(decision: Decision, scope = ''): Problem {
  const retry = `Retry after ${count(decision.retryAfterSeconds, 'second')}.`;
  const headers = { ...rateLimitHeaders(decision), 'retry-after': String(decision.retryAfterSeconds) };
  if (decision.outcome === 'banned') {
    const message = `This API key is banned because it sent too many requests after 429. ${retry}`;
    return problem('api_key_banned', message, headers);
  }
  const window = WINDOW_NAMES.get(decision.windowSeconds) ?? count(decision.windowSeconds, 'second');
  const limit = `${count(decision.limit, 'request')} per ${window}${scope}`;
  return problem('rate_limit_exceeded', `The limit of ${limit} is exhausted. ${retry}`, headers);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
