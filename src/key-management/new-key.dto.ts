import { ApiSchema } from '@nestjs/swagger';
import { MAX_DURATION_MS, type Scope, SCOPES } from '../auth/index.js';
import { BooleanField, EnumListField, IntegerField } from '../validation/index.js';

const LONGEST_SECONDS = MAX_DURATION_MS / 1000;
/** A day, as on the command line. */
const DEFAULT_OVERLAP_SECONDS = 86_400;

/** The body of createKey. */
@ApiSchema({ name: 'NewApiKey', description: 'What a new API key is to be like.' })
export class NewApiKey {
  @EnumListField({
    description: 'What the key may do, at most what the calling key may. By default all of that but `keys:manage`.',
    example: ['pets:read'],
    optional: true,
    name: 'ApiKeyScope',
    values: SCOPES,
    meaning: 'What an API key may do.',
  })
  scopes?: Scope[];

  @IntegerField({
    description: 'Seconds after which the key ends by itself; never by default.',
    example: 7_776_000,
    optional: true,
    minimum: 1,
    maximum: LONGEST_SECONDS,
  })
  expiresInSeconds?: number;

  @BooleanField({
    description: 'Makes a `psk_test_` key, which works like any other but tells people and scanners what it is for.',
    example: false,
    optional: true,
  })
  test?: boolean;
}

/** The body of rotateKey. */
@ApiSchema({ name: 'ApiKeyRotation', description: 'How an API key gives way to its successor.' })
export class ApiKeyRotation {
  @IntegerField({
    description: 'Seconds for which the old key works on, unless it expires before.',
    example: 3_600,
    optional: true,
    minimum: 0,
    maximum: LONGEST_SECONDS,
    default: DEFAULT_OVERLAP_SECONDS,
  })
  overlapSeconds = DEFAULT_OVERLAP_SECONDS;
}
