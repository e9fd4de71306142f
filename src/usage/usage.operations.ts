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
  summary: 'Tell what is left of the plan',
  description:
    "Tells the account's plan, what is left of its minute and its day, and whether this key is banned. Answers exhausted " +
    'accounts and banned keys too. An account may ask as often a minute as its plan allows requests, and at least 300 ' +
    'times; past that the answer is 429.',
  scope: 'usage:read',
  stability: 'beta',
  quota: 'none',
  success: {
    status: 200,
    description: 'Where the account and the key stand.',
    type: Usage,
    headers: ['Cache-Control'],
    examples: { 'An account in use': IN_USE, 'A banned key': BANNED },
  },
  errors: [],
};
