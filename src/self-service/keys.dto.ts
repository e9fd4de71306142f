import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam, ApiSchema } from '@nestjs/swagger';
import {
  isScope,
  KEY_ID,
  KEY_ID_SCHEMA,
  keyNotFound,
  MAX_DURATION_MS,
  MAX_NAME_LENGTH,
  SCOPES,
} from '../accounts/index.js';
import {
  EnumListField,
  IntegerField,
  LimitQuery,
  documentParameter,
  PatternParam,
  requestOf,
  TextField,
} from '../http/index.js';

const LONGEST_SECONDS = MAX_DURATION_MS / 1000;
/** A day, as on the command line. */
const DEFAULT_OVERLAP_SECONDS = 86_400;

@ApiSchema({ name: 'NewApiKey', description: 'The properties of a new API key.' })
export class NewApiKey {
  @TextField({
    description: 'Tells keys apart. Its successor gets it too.',
    example: 'Nightly import',
    optional: true,
    maxLength: MAX_NAME_LENGTH,
    printed: true,
  })
  name?: string;

  @EnumListField({
    description:
      'Scopes of the key, which the calling key must have. Default: all scopes of the calling key except `keys:manage`.',
    example: ['pets:read'],
    optional: true,
    name: 'ApiKeyScope',
    values: SCOPES,
    isOther: isScope,
    meaning: 'A scope of an API key.',
  })
  scopes?: string[];

  @IntegerField({
    description:
      'Seconds until the key expires, at most until the calling key expires. Default: it expires with the calling key, or ' +
      'never.',
    example: 7_776_000,
    optional: true,
    minimum: 1,
    maximum: LONGEST_SECONDS,
  })
  expiresInSeconds?: number;
}

@ApiSchema({ name: 'ApiKeyRotation', description: 'The rotation of an API key.' })
export class ApiKeyRotation {
  @IntegerField({
    description: 'How long the old key stays valid, in seconds, unless it expires earlier.',
    example: 3_600,
    optional: true,
    minimum: 0,
    maximum: LONGEST_SECONDS,
    default: DEFAULT_OVERLAP_SECONDS,
  })
  overlapSeconds = DEFAULT_OVERLAP_SECONDS;
}

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

/** Injects the identifier of a key in the path, and documents it. An invalid one is 404, because no key can have it. */
export function KeyId(): ParameterDecorator {
  const document = ApiParam({ name: 'keyId', description: "The key's identifier.", schema: KEY_ID_SCHEMA });
  return createParamDecorator(readKeyId, [documentParameter(document)])();
}

function readKeyId(_: unknown, context: ExecutionContext): string {
  const { keyId } = requestOf(context).params as { keyId: string };
  if (!KEY_ID.test(keyId)) throw keyNotFound();
  return keyId;
}
