import { ApiSchema } from '@nestjs/swagger';
import { isScope, MAX_DURATION_MS, MAX_NAME_LENGTH, SCOPES } from '../api-keys/index.js';
import { EnumListField, IntegerField, TextField } from '../validation/index.js';

const LONGEST_SECONDS = MAX_DURATION_MS / 1000;
/** A day, as on the command line. */
const DEFAULT_OVERLAP_SECONDS = 86_400;

/** The body of createKey. */
@ApiSchema({ name: 'NewApiKey', description: 'What a new API key is to be like.' })
export class NewApiKey {
  @TextField({
    description: 'A name to tell keys apart. Its successor gets it too.',
    example: 'Nightly import',
    optional: true,
    maxLength: MAX_NAME_LENGTH,
  })
  name?: string;

  @EnumListField({
    description: 'What the key may do, at most what the calling key may. By default all of that but `keys:manage`.',
    example: ['pets:read'],
    optional: true,
    name: 'ApiKeyScope',
    values: SCOPES,
    isOther: isScope,
    meaning: 'What an API key may do.',
  })
  scopes?: string[];

  @IntegerField({
    description:
      'Seconds until the key expires, at most what the calling key has left. By default it expires with the calling key; ' +
      'if that has no end, neither has the new one.',
    example: 7_776_000,
    optional: true,
    minimum: 1,
    maximum: LONGEST_SECONDS,
  })
  expiresInSeconds?: number;
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
