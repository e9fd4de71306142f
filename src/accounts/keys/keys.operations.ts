import { EXAMPLE_DETAILS, EXAMPLE_KEY, IssuedKey, KeyDetails, RotatedKey } from './key-responses.dto.js';
import { keyNotFound } from '../../auth/keys/api-keys.repository.js';
import { problem } from '../../platform/errors/error-codes.js';
import { created, type OperationOptions, pageOf, resource } from '../../openapi/operation.decorator.js';
import { KeyUsage } from '../usage/usage.dto.js';
import { keyLimitReached, keyRevoked, MOST_ACTIVE_KEYS } from './key-rules.js';

const COMMON = { scope: 'keys:manage', stability: 'beta' } as const;
const NOT_IDEMPOTENT = 'An `Idempotency-Key` returns 400, because the response contains a secret.';
const READER = { name: EXAMPLE_DETAILS.name, scopes: EXAMPLE_DETAILS.scopes, expiresInSeconds: 7_776_000 };
const ISSUED = { ...EXAMPLE_DETAILS, key: EXAMPLE_KEY };
const ROTATED = { ...ISSUED, replaces: 'key_fedcba9876543210', replacedExpiresAt: '2026-11-21T13:00:00.000Z' };
const USAGE = {
  minute: { requests: 13, resetsAt: '2026-11-21T12:01:00.000Z' },
  day: { requests: 880, resetsAt: '2026-11-22T00:00:00.000Z' },
  strikes: 0,
};
const SHOWN_ONCE = ['Location', 'Cache-Control'] as const;

export const CREATE_KEY: OperationOptions = {
  ...COMMON,
  id: 'createKey',
  summary: 'Create an API key',
  description:
    'Creates a key for the calling account. Only this response shows it. A scope that the calling key lacks returns 403 ' +
    '`insufficient_scope`. A lifetime beyond that of the calling key returns 400 `validation_failed`. ' +
    `An account can have ${MOST_ACTIVE_KEYS} active keys. ${NOT_IDEMPOTENT}`,
  bodyExamples: { 'A reader for 90 days': READER, 'The scopes of the calling key': {} },
  success: created(IssuedKey, 'The new key with its secret.', { 'A reader for 90 days': ISSUED }, SHOWN_ONCE),
  errors: [keyLimitReached(MOST_ACTIVE_KEYS)],
};

export const LIST_KEYS: OperationOptions = {
  ...COMMON,
  id: 'listKeys',
  summary: 'List API keys',
  description:
    'Returns the keys of the calling account, oldest first, including revoked and expired ones. `Link` points to the next ' +
    'page (`rel="next"`).',
  success: pageOf(KeyDetails, 'ApiKeys', 'A page of keys.', { 'One key': [EXAMPLE_DETAILS] }),
};

export const GET_KEY: OperationOptions = {
  ...COMMON,
  id: 'getKey',
  summary: 'Get an API key',
  description: 'Returns a key of the calling account without its secret, which the service does not store.',
  success: resource(
    KeyDetails,
    'The key.',
    { 'A key in use': { ...EXAMPLE_DETAILS, lastUsedAt: EXAMPLE_DETAILS.createdAt } },
    [],
  ),
  errors: [keyNotFound()],
};

export const CHANGE_KEY: OperationOptions = {
  ...COMMON,
  id: 'changeKey',
  summary: 'Change an API key',
  description:
    'Accepts a JSON merge patch (RFC 7396) with at least one member. A paused key gets 401 ' +
    '`api_key_paused`, and counts as active. A key can pause itself; then only another key can resume it. Scopes that the ' +
    'key lacks return 400 `validation_failed`.',
  bodyExamples: {
    'Pause it': { paused: true },
    'Resume it': { paused: false },
    'Remove its name': { name: null },
    'Take scopes from it': { scopes: READER.scopes },
  },
  success: resource(
    KeyDetails,
    'The changed key.',
    { 'A paused key': { ...EXAMPLE_DETAILS, pausedAt: EXAMPLE_DETAILS.createdAt } },
    [],
  ),
  errors: [
    keyNotFound(),
    {
      ...problem('api_key_retired', keyRevoked(EXAMPLE_DETAILS.id).message),
      meaning: 'The API key is revoked or has expired.',
    },
  ],
};

export const GET_KEY_USAGE: OperationOptions = {
  ...COMMON,
  id: 'getKeyUsage',
  summary: 'Get the usage of an API key',
  description:
    "Returns how many requests a key made in the account's current minute and day, its strikes and its ban. " +
    'Unlike `getUsage`, it uses quota.',
  success: resource(KeyUsage, 'The usage of the key.', { 'A key in use': USAGE }, ['Cache-Control']),
  errors: [keyNotFound()],
};

export const ROTATE_KEY: OperationOptions = {
  ...COMMON,
  id: 'rotateKey',
  summary: 'Rotate an API key',
  description:
    'Creates a successor with the same scopes and lifetime. Only this response shows it. It expires no later than the ' +
    'calling key. The old key stays valid for the overlap. A key can be rotated once; then rotate its successor. A scope ' +
    `that the calling key lacks returns 403 \`insufficient_scope\`. ${NOT_IDEMPOTENT}`,
  bodyExamples: { 'An hour for both': { overlapSeconds: 3_600 }, 'A day for both': {} },
  success: created(RotatedKey, 'The successor with its secret.', { 'An hour for both': ROTATED }, SHOWN_ONCE),
  errors: [keyNotFound(), keyRevoked(EXAMPLE_DETAILS.id), keyLimitReached(MOST_ACTIVE_KEYS)],
};

export const REVOKE_KEY: OperationOptions = {
  ...COMMON,
  id: 'revokeKey',
  summary: 'Revoke an API key',
  description:
    'Revokes a key permanently. A key can revoke itself. Revoking a revoked key changes nothing and also returns 204.',
  success: { status: 204, description: 'The key is revoked.' },
  errors: [keyNotFound()],
};
