import type { OperationOptions } from '../openapi/index.js';
import { Usage } from './usage.dto.js';

const IN_USE = {
  account: 'acme',
  plan: 'pro',
  minute: { limit: 300, remaining: 287, resetsAt: '2026-11-21T12:01:00.000Z' },
  day: { limit: 10_000, remaining: 9_120, resetsAt: '2026-11-22T00:00:00.000Z' },
  strikes: 0,
};
const BANNED = { ...IN_USE, minute: { ...IN_USE.minute, remaining: 0 }, bannedUntil: '2026-11-21T12:02:00.000Z' };

export const GET_USAGE: OperationOptions = {
  id: 'getUsage',
  summary: 'Get current usage',
  description:
    "Returns the account's plan, the requests left in both windows, and the strikes and the ban of the calling key. Also " +
    'works for exhausted accounts and banned keys. It can be called as often per minute as the plan allows requests, and at ' +
    'least 300 times; past that the response is 429.',
  scope: 'usage:read',
  stability: 'beta',
  quota: 'none',
  success: {
    status: 200,
    description: 'The usage of the account and the key.',
    type: Usage,
    headers: ['Cache-Control'],
    examples: { 'An account in use': IN_USE, 'A banned key': BANNED },
  },
  errors: [],
};
