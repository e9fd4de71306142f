import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { Change } from '../../database/events/domain-event.js';
import type { EventDeclaration } from '../../database/events/event-types.js';
import { MANAGE_KEYS, SCOPE } from '../../auth/keys/scopes.js';
import { rfc3339 } from '../../platform/config/clock.js';
import { TIME_SCHEMA } from '../../http/validation/date-time.js';
import { PLAN_NAMES, type PlanName } from '../../auth/keys/plan.js';
import type { ApiKey } from '../../auth/keys/api-key.entity.js';
import { API_KEY, KEY_ID } from '../../auth/keys/api-key-format.js';
import { MAX_NAME_LENGTH } from './key-options.js';

export const KEY_ID_SCHEMA = {
  type: 'string',
  pattern: KEY_ID.source,
  maxLength: 'key_0123456789abcdef'.length,
  example: 'key_0123456789abcdef',
} as const;

/** Has the format of a key, but an invalid checksum. */
export const EXAMPLE_KEY = `psk_live_${'0'.repeat(36)}`;

export const EXAMPLE_DETAILS = {
  id: 'key_0123456789abcdef',
  name: 'Nightly import',
  masked: 'psk_live_Ab3d…9xYz',
  account: 'acme',
  plan: 'pro',
  scopes: ['pets:read'],
  createdAt: '2026-11-21T12:00:00.000Z',
  expiresAt: '2027-02-19T12:00:00.000Z',
};

const NAME = { type: String, minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: '\\S' };
const MASKED = { type: String, pattern: '^psk_(live|test)_[0-9A-Za-z]{4}…[0-9A-Za-z]{4}$', maxLength: 18 };
const ACCOUNT_NAME = { type: String, maxLength: 100, pattern: '^\\S(.*\\S)?$', example: 'acme' };
const SECRET = { type: String, pattern: API_KEY.source, maxLength: EXAMPLE_KEY.length };

export const timeProperty = (description: string, required = false) => ({ ...TIME_SCHEMA, description, required });

/** What can be shown of a key: over HTTP, by the command line and in events. Times are RFC 3339; never is absent. */
@ApiSchema({ name: 'ApiKey', description: 'An API key of the account, without its secret.' })
export class KeyDetails {
  @ApiProperty({ ...KEY_ID_SCHEMA, description: 'Identifier of the key. Not a secret.' })
  id!: string;

  @ApiProperty({ ...NAME, description: 'Name of the key. Absent if it has none.', required: false })
  name?: string;

  @ApiProperty({ ...MASKED, description: 'First and last characters of the key.' })
  masked!: string;

  @ApiProperty({ ...ACCOUNT_NAME, description: 'Name of the account.' })
  account!: string;

  @ApiProperty({ enum: PLAN_NAMES, enumName: 'Plan', description: 'Plan of the account.', example: 'pro' })
  plan!: PlanName;

  @ApiProperty({ type: 'array', items: { type: 'string', pattern: SCOPE.source }, description: 'Scopes of the key.' })
  scopes!: readonly string[];

  @ApiProperty(timeProperty('When the key was created.', true))
  createdAt!: string;

  @ApiProperty(timeProperty('When the key expires. Absent if never.'))
  expiresAt?: string;

  @ApiProperty(timeProperty('When the key was revoked. Absent if it was not.'))
  revokedAt?: string;

  @ApiProperty(timeProperty('When the key was paused. Absent if it is not paused.'))
  pausedAt?: string;

  @ApiProperty(timeProperty('When the key was last used, some seconds late. Absent if never.'))
  lastUsedAt?: string;
}

@ApiSchema({ name: 'IssuedApiKey', description: 'A new API key with its secret.' })
export class IssuedKey extends KeyDetails {
  @ApiProperty({ ...SECRET, description: 'The secret. It is not shown again.' })
  key!: string;
}

@ApiSchema({ name: 'RotatedApiKey', description: 'The successor of an API key, with its secret.' })
export class RotatedKey extends IssuedKey {
  @ApiProperty({ ...KEY_ID_SCHEMA, description: 'Identifier of the old key.' })
  replaces!: string;

  @ApiProperty(timeProperty('When the old key expires.', true))
  replacedExpiresAt!: string;
}

/** What operators see of a key besides, by the names of the API. */
export interface ShownKey extends KeyDetails {
  /** When its account was suspended. */
  readonly suspendedAt?: string;
  /** Identifier of its latest successor. */
  readonly successor?: string;
}

export function shownToOperators(key: ApiKey): ShownKey {
  const { account, successorId } = key;
  return {
    ...detailsOf(key),
    ...(account.suspendedAt === null ? {} : { suspendedAt: rfc3339(account.suspendedAt) }),
    ...(successorId === null ? {} : { successor: successorId }),
  };
}

/** @param key with its account */
export function detailsOf(key: Omit<ApiKey, 'accountId'>): KeyDetails {
  const { id, name, masked, account, scopes, createdAt, expiresAt, revokedAt, pausedAt, lastUsedAt } = key;
  return {
    id,
    ...(name === null ? {} : { name }),
    masked,
    account: account.name,
    plan: account.plan,
    scopes: [...scopes],
    createdAt: rfc3339(createdAt),
    ...(expiresAt === null ? {} : { expiresAt: rfc3339(expiresAt) }),
    ...(revokedAt === null ? {} : { revokedAt: rfc3339(revokedAt) }),
    ...(pausedAt === null ? {} : { pausedAt: rfc3339(pausedAt) }),
    ...(lastUsedAt === null ? {} : { lastUsedAt: rfc3339(lastUsedAt) }),
  };
}

export interface KeyEvents {
  /** Also raised for the successor of a rotated key. */
  'key.created': Change<undefined, KeyDetails>;
  /** The key was renamed, got other scopes, was paused, resumed or rotated. */
  'key.changed': Change<KeyDetails, KeyDetails>;
  'key.revoked': Change<KeyDetails, KeyDetails>;
}

export const KEY_EVENTS: EventDeclaration<keyof KeyEvents> = {
  types: {
    'key.created': 'An API key was created, or is the successor of one that was rotated.',
    'key.changed': 'An API key was renamed, got other scopes, was paused, resumed or rotated.',
    'key.revoked': 'An API key was revoked.',
  },
  scope: MANAGE_KEYS,
  subject: ({ id }) => `key:${id}`,
  data: (key) => key,
  schema: KeyDetails,
  example: { subject: `key:${EXAMPLE_DETAILS.id}`, data: EXAMPLE_DETAILS },
};

declare module '../../database/events/domain-event.js' {
  interface EventMap extends KeyEvents {}
}
