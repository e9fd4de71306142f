import { type Problem, problem } from '../http/index.js';
import type { Decision, WindowReport } from './windows/decision.js';

export const REMAINING_HEADER = 'x-ratelimit-remaining';

const WINDOW_NAMES = new Map([
  [1, 'second'],
  [60, 'minute'],
  [3_600, 'hour'],
  [86_400, 'day'],
]);

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
