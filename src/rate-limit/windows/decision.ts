import type { FastifyReply } from 'fastify';
import { type Problem, problem } from '../../errors/index.js';

/** One window of a limit, with all that the rate-limit headers need (specification, section 8). */
export interface WindowReport {
  readonly limit: number;
  /** Length of the window. */
  readonly windowSeconds: number;
  /** Requests left; never negative. */
  readonly remaining: number;
  /** End of the window, in whole seconds of Unix time; of one that would begin now, where none is open. */
  readonly resetSeconds: number;
}

/** What the counters say about one request; of a ban the window is the minute, and its end that of the ban. */
export interface Decision extends WindowReport {
  readonly outcome: 'admitted' | 'limited' | 'banned';
  /** 0 when admitted, else at least 1. */
  readonly retryAfterSeconds: number;
}

/** What a caller has left, and what threatens it. */
export interface UsageReport {
  readonly minute: WindowReport;
  readonly day: WindowReport;
  /** Requests of the key in both. */
  readonly key: { readonly minute: number; readonly day: number };
  /** Rejections of the key in the current minute, which count towards a ban. */
  readonly strikes: number;
  /** End of the key's ban, in whole seconds of Unix time; 0 when there is none. */
  readonly bannedUntilSeconds: number;
}

/** Decides on a request that takes `taken` requests from a window, as it was before. */
export function decide(window: WindowReport, taken: 0 | 1, nowSeconds: number): Decision {
  if (window.remaining === 0) return refuse('limited', window, nowSeconds);
  return { ...window, outcome: 'admitted', remaining: window.remaining - taken, retryAfterSeconds: 0 };
}

/** @param nowSeconds Unix time, rounded down: since `resetSeconds` is whole, the difference is the true wait rounded up */
export function refuse(outcome: 'limited' | 'banned', window: WindowReport, nowSeconds: number): Decision {
  return { ...window, outcome, remaining: 0, retryAfterSeconds: Math.max(1, window.resetSeconds - nowSeconds) };
}

/** The window that the rate-limit headers show: the one with the least left, on a tie the longer; of two exhausted, the later. */
export function tightestWindow(minute: WindowReport, day: WindowReport): WindowReport {
  if (minute.remaining > 0 || day.remaining > 0) return minute.remaining < day.remaining ? minute : day;
  return minute.resetSeconds > day.resetSeconds ? minute : day;
}

/** What the rate-limit headers of any response to the caller show at the moment: during a ban, its end. */
export function shownWindow({ minute, day, bannedUntilSeconds }: UsageReport): WindowReport {
  return bannedUntilSeconds > 0 ? banWindow(minute, bannedUntilSeconds) : tightestWindow(minute, day);
}

/** How a ban shows in the rate-limit headers. */
export function banWindow(minute: Pick<WindowReport, 'limit' | 'windowSeconds'>, untilSeconds: number): WindowReport {
  return { limit: minute.limit, windowSeconds: minute.windowSeconds, remaining: 0, resetSeconds: untilSeconds };
}

/** Continues synchronously where the value is at hand: most decisions are made in memory, and a promise for each is measurable. */
export function andThen<T, U>(value: T | Promise<T>, next: (value: T) => U): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Names of the trio (specification, section 8), in lower case, which Fastify would otherwise convert each time. */
export const LIMIT_HEADER = 'x-ratelimit-limit';
export const REMAINING_HEADER = 'x-ratelimit-remaining';
export const RESET_HEADER = 'x-ratelimit-reset';

const WINDOW_NAMES = new Map([
  [1, 'second'],
  [60, 'minute'],
  [3_600, 'hour'],
  [86_400, 'day'],
]);

/** Whose requests a limit counts, as the message of a 429 says it; nothing for the plan of an account. */
export type LimitScope = '' | ' for this operation' | ' for operations that use no quota' | ' without a valid API key';

/** Shows a window, in place of the one that was shown before. */
export function setRateLimitHeaders(reply: FastifyReply, window: WindowReport): void {
  reply
    .header(LIMIT_HEADER, window.limit)
    .header(REMAINING_HEADER, window.remaining)
    .header(RESET_HEADER, window.resetSeconds);
}

/** The trio of a window. */
export function rateLimitHeaders(window: WindowReport): Record<string, string> {
  return {
    [LIMIT_HEADER]: String(window.limit),
    [REMAINING_HEADER]: String(window.remaining),
    [RESET_HEADER]: String(window.resetSeconds),
  };
}

/** The 429 of a request that was not admitted. It names the window that is exhausted. */
export function tooManyRequests(decision: Decision, scope: LimitScope = ''): Problem {
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
