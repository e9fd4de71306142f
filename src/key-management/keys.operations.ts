import { MOST_ACTIVE_KEYS } from '../auth/index.js';
import type { Examples, OperationOptions } from '../openapi/index.js';
import { AccountKey, IssuedAccountKey, RotatedAccountKey } from './key.dto.js';

const COMMON = { scope: 'keys:manage', stability: 'beta' } as const;

const READER = { scopes: ['pets:read'], expiresInSeconds: 7_776_000 };
const KEY = {
  id: 'key_0123456789abcdef',
  masked: 'psk_live_Ab3d…9xYz',
  scopes: READER.scopes,
  createdAt: '2026-11-21T12:00:00.000Z',
  expiresAt: '2027-02-19T12:00:00.000Z',
};
const ISSUED = { ...KEY, key: 'psk_live_...' };

/** Bodies for createKey and rotateKey that work as they stand. */
export const NEW_KEYS: Examples = { 'A reader for 90 days': READER, 'What the calling key may do': {} };
export const ROTATIONS: Examples = { 'An hour for both': { overlapSeconds: 3_600 }, 'A day for both': {} };

export const CREATE_KEY: OperationOptions = {
  ...COMMON,
  id: 'createKey',
  summary: 'Make an API key',
  description:
    'Makes a key of the calling account and shows it, this once. A key cannot give a scope that it lacks: that is 403 ' +
    `\`insufficient_scope\`. An account may have ${MOST_ACTIVE_KEYS} active keys.`,
  success: {
    status: 201,
    description: 'The key was made; the body shows it.',
    type: IssuedAccountKey,
    headers: ['Location', 'Cache-Control'],
    examples: { 'A reader for 90 days': ISSUED },
  },
  errors: ['api_key_limit_reached'],
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
  success: { status: 200, description: 'The key.', type: AccountKey, examples: { 'A key in use': { ...KEY, lastUsedAt: KEY.createdAt } } },
  errors: ['api_key_not_found'],
};

export const ROTATE_KEY: OperationOptions = {
  ...COMMON,
  id: 'rotateKey',
  summary: 'Replace an API key',
  description:
    'Makes a key with the same scopes and lifetime and shows it, this once. The old key works on for the overlap. A key ' +
    'is rotated once; after that rotate its successor. A key cannot hand out a scope that it lacks by rotating one that ' +
    'has it: that is 403 `insufficient_scope`.',
  success: {
    status: 201,
    description: 'The successor was made; the body shows it.',
    type: RotatedAccountKey,
    headers: ['Location', 'Cache-Control'],
    examples: { 'An hour for both': { ...ISSUED, replaces: 'key_fedcba9876543210', replacedExpiresAt: '2026-11-21T13:00:00.000Z' } },
  },
  errors: ['api_key_not_found', 'api_key_retired', 'api_key_limit_reached'],
};

export const REVOKE_KEY: OperationOptions = {
  ...COMMON,
  id: 'revokeKey',
  summary: 'Revoke an API key',
  description: 'Ends a key for good, the calling one too. Revoking it again changes nothing and is 204 as well.',
  success: { status: 204, description: 'The key is revoked.' },
  errors: ['api_key_not_found'],
};
