import { ApiExtension, ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ACCOUNT_NAME_SCHEMA, PLAN_NAMES, type PlanName } from '../accounts/index.js';
import { KEY_ID, MAX_NAME_LENGTH } from '../api-keys/index.js';
import { LimitQuery, PatternParam, ValidatedOnce } from '../validation/index.js';
import { KEY_ID_SCHEMA } from './key-id.decorator.js';

/** Has the format of a key, but an invalid checksum. */
export const EXAMPLE_KEY = `psk_live_${'0'.repeat(36)}`;

/** Times are RFC 3339, in UTC. */
const time = (description: string, required = false) => ({
  type: String,
  format: 'date-time',
  description,
  required,
});

@ApiSchema({ name: 'ApiKey', description: 'An API key of the account, without its secret.' })
export class AccountKey {
  @ApiProperty({ ...KEY_ID_SCHEMA, description: 'Identifier of the key. Not a secret.' })
  id!: string;

  @ApiProperty({
    type: String,
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    pattern: '\\S',
    description: 'Name of the key. Absent if it has none.',
    required: false,
  })
  name?: string;

  @ApiProperty({
    type: String,
    pattern: '^psk_(live|test)_[0-9A-Za-z]{4}…[0-9A-Za-z]{4}$',
    maxLength: 18,
    description: 'First and last characters of the key.',
  })
  masked!: string;

  @ApiProperty({ ...ACCOUNT_NAME_SCHEMA, description: 'Name of the account.' })
  account!: string;

  @ApiProperty({ enum: PLAN_NAMES, enumName: 'Plan', description: 'Plan of the account.', example: 'pro' })
  plan!: PlanName;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', pattern: '^[a-z0-9_-]+:[a-z0-9_-]+$' },
    description: 'Scopes of the key.',
  })
  scopes!: readonly string[];

  @ApiProperty(time('When the key was created.', true))
  createdAt!: string;

  @ApiProperty(time('When the key expires. Absent if it does not expire.'))
  expiresAt?: string;

  @ApiProperty(time('When the key was revoked. Absent if it was not.'))
  revokedAt?: string;

  @ApiProperty(time('When the key was last used, with a delay of some seconds. Absent if it was not used.'))
  lastUsedAt?: string;
}

@ApiSchema({ name: 'IssuedApiKey', description: 'A new API key with its secret.' })
@ApiExtension('x-extends', 'ApiKey')
export class IssuedAccountKey extends AccountKey {
  @ApiProperty({
    type: String,
    pattern: '^psk_(live|test)_[0-9A-Za-z]{36}$',
    maxLength: EXAMPLE_KEY.length,
    description: 'The secret. It is not shown again.',
  })
  key!: string;
}

@ApiSchema({ name: 'RotatedApiKey', description: 'The successor of an API key, with its secret.' })
export class RotatedAccountKey extends IssuedAccountKey {
  @ApiProperty({ ...KEY_ID_SCHEMA, description: 'Identifier of the old key.' })
  replaces!: string;

  @ApiProperty(time('When the old key expires.', true))
  replacedExpiresAt!: string;
}

@ValidatedOnce()
export class ListKeysQuery extends LimitQuery {
  @PatternParam({
    description: 'Return only keys after the one with this identifier, the last one of the previous page.',
    pattern: KEY_ID,
    expectation: 'the identifier of a key, such as key_0123456789abcdef',
    maxLength: KEY_ID_SCHEMA.maxLength,
    example: KEY_ID_SCHEMA.example,
  })
  after?: string;
}
