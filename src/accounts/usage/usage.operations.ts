import { type OperationOptions, resource } from '../../openapi/operation.decorator.js';
import { Usage, UsageHistoryReport } from './usage.dto.js';

const IN_USE = {
  account: 'acme',
  plan: 'pro',
  key: { id: 'key_0123456789abcdef', name: 'Nightly import', scopes: ['pets:read'] },
  minute: { limit: 300, remaining: 287, resetsAt: '2026-11-21T12:01:00.000Z' },
  day: { limit: 10_000, remaining: 9_120, resetsAt: '2026-11-22T00:00:00.000Z' },
  strikes: 0,
};
const BANNED = { ...IN_USE, minute: { ...IN_USE.minute, remaining: 0 }, bannedUntil: '2026-11-21T12:02:00.000Z' };

export const GET_USAGE: OperationOptions = {
  id: 'getUsage',
  summary: 'Get current usage',
  description:
    "Returns the account's plan, the requests left in both windows, and the calling key with its strikes and ban. Also " +
    'works for exhausted accounts and banned keys. It can be called as often per minute as the plan allows requests, and at ' +
    'least 300 times.',
  scope: null,
  stability: 'beta',
  quota: 'none',
  success: resource(
    Usage,
    'The usage of the account and the key.',
    { 'An account in use': IN_USE, 'A banned key': BANNED },
    ['Cache-Control'],
  ),
};

const [MIDNIGHT, to] = ['2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z'];
const ADMITTED = { start: MIDNIGHT, requests: 880, outcome: 'admitted' };
const A_DAY = { from: MIDNIGHT, to, interval: 'day', items: [ADMITTED] };

/** How often an account can get its history per minute, because adding up a month takes a while. */
export const HISTORY_LIMIT = 60;

export const GET_USAGE_HISTORY: OperationOptions = {
  id: 'getUsageHistory',
  summary: 'Get the usage history',
  description:
    'Returns how many requests the account made per hour (at most 7 days) or UTC day, today and in the 30 days before. ' +
    `Operations that use no quota are not included. It can be called ${HISTORY_LIMIT} times a minute.`,
  scope: 'usage:read',
  stability: 'beta',
  quota: 'none',
  success: resource(UsageHistoryReport, 'The requests of the account.', { 'A day': A_DAY }, ['Cache-Control']),
};
