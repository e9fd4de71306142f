import type { FastifyReply } from 'fastify';
import type { Decision } from './decision.js';
import type { WindowReport } from './usage-report.js';

/** Names of the trio (specification, section 8). In lower case, as Fastify would otherwise convert them each time. */
export const LIMIT_HEADER = 'x-ratelimit-limit';
export const REMAINING_HEADER = 'x-ratelimit-remaining';
export const RESET_HEADER = 'x-ratelimit-reset';
/** RFC 9110, section 10.2.3; here always in seconds. */
export const RETRY_AFTER_HEADER = 'retry-after';

/** Shows a window, in place of the one that was shown before. */
export function setRateLimitHeaders(reply: FastifyReply, window: WindowReport): void {
  reply
    .header(LIMIT_HEADER, window.limit)
    .header(REMAINING_HEADER, window.remaining)
    .header(RESET_HEADER, window.resetSeconds);
}

/** The headers of a 429: the trio and Retry-After. */
export function refusalHeaders(decision: Decision): Record<string, string> {
  return {
    [LIMIT_HEADER]: String(decision.limit),
    [REMAINING_HEADER]: String(decision.remaining),
    [RESET_HEADER]: String(decision.resetSeconds),
    [RETRY_AFTER_HEADER]: String(decision.retryAfterSeconds),
  };
}
