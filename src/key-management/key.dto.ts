import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** Times are RFC 3339, in UTC. */
const time = (description: string, required = false) => ({ type: String, format: 'date-time', description, required, example: '2026-11-21T12:00:00.000Z' });

/** What every answer about a key has. */
abstract class KeyFields {
  @ApiProperty({ type: String, description: 'Identifier of the key; no secret.', example: 'key_0123456789abcdef' })
  id!: string;

  @ApiProperty({ type: String, description: 'First and last characters of the key.', example: 'psk_live_Ab3d…9xYz' })
  masked!: string;

  @ApiProperty({ type: [String], description: 'What the key may do.', example: ['pets:read'] })
  scopes!: readonly string[];

  @ApiProperty(time('When the key was made.', true))
  createdAt!: string;

  @ApiProperty(time('When the key stops working by itself, or did; absent for never.'))
  expiresAt?: string;
}

@ApiSchema({ name: 'ApiKey', description: 'An API key of the account, without its secret.' })
export class AccountKey extends KeyFields {
  @ApiProperty(time('When the key was revoked; absent where it was not.'))
  revokedAt?: string;

  @ApiProperty(time('When the key was last used, some seconds late; absent where it never was.'))
  lastUsedAt?: string;
}

@ApiSchema({ name: 'IssuedApiKey', description: 'A new API key, the only time that it is shown.' })
export class IssuedAccountKey extends KeyFields {
  @ApiProperty({ type: String, description: 'The secret. It is not shown again.', example: 'psk_live_...' })
  key!: string;
}

@ApiSchema({ name: 'RotatedApiKey', description: 'The successor of an API key, the only time that it is shown.' })
export class RotatedAccountKey extends IssuedAccountKey {
  @ApiProperty({ type: String, description: 'Identifier of the old key.', example: 'key_fedcba9876543210' })
  replaces!: string;

  @ApiProperty(time('When the old key stops working, or did.', true))
  replacedExpiresAt!: string;
}
