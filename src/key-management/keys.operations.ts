import { keyNotFound } from '../api-keys/index.js';
import type { OperationOptions } from '../openapi/index.js';
import { keyLimitReached, keyRevoked, MOST_ACTIVE_KEYS } from './account-keys.service.js';
import { KeyUsage } from './key-usage.dto.js';
import { AccountKey, EXAMPLE_KEY, IssuedAccountKey, RotatedAccountKey } from './key.dto.js';

const COMMON = { scope: 'keys:manage', stability: 'beta' } as const;

const READER = { name: 'Nightly import', scopes: ['pets:read'], expiresInSeconds: 7_776_000 };
const KEY = {
  id: 'key_0123456789abcdef',
  name: READER.name,
  masked: 'psk_live_Ab3d…9xYz',
  account: 'acme',
  plan: 'pro',
  scopes: READER.scopes,
  createdAt: '2026-11-21T12:00:00.000Z',
  expiresAt: '2027-02-19T12:00:00.000Z',
};
const ISSUED = { ...KEY, key: EXAMPLE_KEY };

export const CREATE_KEY: OperationOptions = {
  ...COMMON,
  id: 'createKey',
  summary: 'Make an API key',
  description:
    'Makes a key of the calling account and shows it, this once. A key cannot give a scope that it lacks: that is 403 ' +
    '`insufficient_scope`. Nor can it give a longer life than it has left: that is 400 `validation_failed`. ' +
    `With ${MOST_ACTIVE_KEYS} active keys, however they were made, an account gets no more this way.`,
  bodyExamples: { 'A reader for 90 days': READER, 'What the calling key may do': {} },
  success: {
    status: 201,
    description: 'The key was made; the body shows it.',
    type: IssuedAccountKey,
    headers: ['Location', 'Cache-Control'],
    examples: { 'A reader for 90 days': ISSUED },
  },
  errors: [keyLimitReached(MOST_ACTIVE_KEYS)],
};

export const LIST_KEYS: OperationOptions = {
  ...COMMON,
  id: 'listKeys',
  summary: 'List API keys',
  description:
    'Returns the keys of the calling account, the revoked and expired ones too, oldest first, page by page: while a next ' +
    'page exists, `Link` names it as `rel="next"`.',
  success: {
    status: 200,
    description: 'A page of keys.',
    type: [AccountKey],
    listName: 'ApiKeys',
    headers: ['Link'],
    examples: { 'One key': [KEY] },
  },
  errors: [],
};

export const GET_KEY: OperationOptions = {
  ...COMMON,
  id: 'getKey',
  summary: 'Get an API key',
  description: 'Tells about a key of the calling account; its secret is not kept.',
  success: {
    status: 200,
    description: 'The key.',
    type: AccountKey,
    examples: { 'A key in use': { ...KEY, lastUsedAt: KEY.createdAt } },
  },
  errors: [keyNotFound()],
};

export const GET_KEY_USAGE: OperationOptions = {
  ...COMMON,
  id: 'getKeyUsage',
  summary: 'Get the usage of an API key',
  description:
    "Returns how many of the account's requests in its current minute and day a key made, and whether the key is banned. " +
    'Unlike `getUsage` it takes from the plan.',
  success: {
    status: 200,
    description: 'The usage of the key.',
    type: KeyUsage,
    headers: ['Cache-Control'],
    examples: {
      'A key in use': {
        minute: { requests: 13, resetsAt: '2026-11-21T12:01:00.000Z' },
        day: { requests: 880, resetsAt: '2026-11-22T00:00:00.000Z' },
        strikes: 0,
      },
    },
  },
  errors: [keyNotFound()],
};

export const ROTATE_KEY: OperationOptions = {
  ...COMMON,
  id: 'rotateKey',
  summary: 'Replace an API key',
  description:
    'Makes a key with the same scopes and lifetime and shows it, this once. It expires with the calling key at the ' +
    'latest. The old key works on for the overlap. A key is rotated once; after that rotate its successor. A key cannot ' +
    'hand out a scope that it lacks by rotating one that has it: that is 403 `insufficient_scope`.',
  bodyExamples: { 'An hour for both': { overlapSeconds: 3_600 }, 'A day for both': {} },
  success: {
    status: 201,
    description: 'The successor was made; the body shows it.',
    type: RotatedAccountKey,
    headers: ['Location', 'Cache-Control'],
    examples: {
      'An hour for both': {
        ...ISSUED,
        replaces: 'key_fedcba9876543210',
        replacedExpiresAt: '2026-11-21T13:00:00.000Z',
      },
    },
  },
  errors: [keyNotFound(), keyRevoked(KEY.id), keyLimitReached(MOST_ACTIVE_KEYS)],
};

export const REVOKE_KEY: OperationOptions = {
  ...COMMON,
  id: 'revokeKey',
  summary: 'Revoke an API key',
  description: 'Ends a key for good, the calling one too. Revoking it again changes nothing and is 204 as well.',
  success: { status: 204, description: 'The key is revoked.' },
  errors: [keyNotFound()],
};
