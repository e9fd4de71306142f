import { type Problem, problem } from '../platform/errors/error-codes.js';
import { rfc3339 } from '../platform/config/clock.js';
import type { Decision, WindowReport } from './windows/decision.js';
import { DAY_SECONDS, MINUTE_SECONDS } from './windows/usage.js';

export const REMAINING_HEADER = 'x-ratelimit-remaining';

const WINDOW_NAMES = new Map([
  [1, 'second'],
  [MINUTE_SECONDS, 'minute'],
  [3_600, 'hour'],
  [DAY_SECONDS, 'day'],
]);

/** RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-11). */
export function rateLimitFields({ windows, nowSeconds }: Decision) {
  let policy = '';
  let state = '';
  for (const { limit, windowSeconds, remaining, resetSeconds } of windows) {
    // A single window is that of an operation, of any length.
    const name = windows.length === 1 ? 'operation' : WINDOW_NAMES.get(windowSeconds);
    const separator = policy === '' ? '' : ', ';
    policy += `${separator}"${name}";q=${limit};w=${windowSeconds}`;
    state += `${separator}"${name}";r=${remaining};t=${Math.max(0, resetSeconds - nowSeconds)}`;
  }
  return { policy, state };
}

export function rateLimitHeaders(window: WindowReport): Record<string, string> {
  return {
    'x-ratelimit-limit': String(window.limit),
    [REMAINING_HEADER]: String(window.remaining),
    'x-ratelimit-reset': String(window.resetSeconds),
  };
}

/** @param scope the requests that the limit counts, such as ` for this operation`; empty for the plan of an account */
export function tooManyRequests(decision: Decision, scope = ''): Problem {
  const retry = `Retry after ${count(decision.retryAfterSeconds, 'second')}.`;
  const headers = { ...rateLimitHeaders(decision), 'retry-after': String(decision.retryAfterSeconds) };
  if (decision.outcome === 'banned') {
    const message = `This API key is banned because it sent too many requests after 429. ${retry}`;
    return problem('api_key_banned', message, headers);
  }
  const window = WINDOW_NAMES.get(decision.windowSeconds) ?? count(decision.windowSeconds, 'second');
  const limit = `${count(decision.limit, 'request')} per ${window}${scope}`;
  const until = rfc3339(decision.resetSeconds * 1000).replace('.000', '');
  const end = decision.windowSeconds < DAY_SECONDS ? `. ${retry}` : ` until ${until}.`;
  return problem('rate_limit_exceeded', `The limit of ${limit} is exhausted${end}`, headers);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
