import type { FastifyReply } from 'fastify';
import { type Problem, problem } from '../errors/index.js';
import type { Decision, WindowReport } from './windows/decision.js';

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
