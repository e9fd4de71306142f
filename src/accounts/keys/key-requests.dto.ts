import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam, ApiSchema } from '@nestjs/swagger';
import { isScope, SCOPES } from '../../auth/keys/scopes.js';
import { KEY_ID } from '../../auth/keys/api-key-format.js';
import { KEY_ID_SCHEMA } from './key-responses.dto.js';
import { keyNotFound } from '../../auth/keys/api-keys.repository.js';
import { MAX_DURATION_MS, MAX_NAME_LENGTH } from './key-options.js';
import { BooleanField, EnumListField, IntegerField, TextField } from '../../http/validation/fields.js';
import { documentParameter } from '../../http/requests/handler-metadata.js';
import { requestOf } from '../../http/requests/request.js';
import { placeholderAdvice } from '../../http/validation/params.js';

const LONGEST_SECONDS = MAX_DURATION_MS / 1000;
/** A day, as on the command line. */
const DEFAULT_OVERLAP_SECONDS = 86_400;

const NAME = { example: 'Nightly import', optional: true, maxLength: MAX_NAME_LENGTH, printed: true };
const SCOPE_LIST = {
  example: ['pets:read'],
  optional: true,
  name: 'ApiKeyScope',
  values: SCOPES,
  isOther: isScope,
  meaning: 'A scope of an API key.',
};

@ApiSchema({ name: 'ApiKeyCreation', description: 'A new API key.' })
export class ApiKeyCreation {
  @TextField({ ...NAME, description: 'Distinguishes the key from others. Its successor keeps it.' })
  name?: string;

  @EnumListField({
    ...SCOPE_LIST,
    description:
      'Scopes of the key, which the calling key must have. Default: all scopes of the calling key except `keys:manage` and `webhooks:manage`.',
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

/** In the schema only; the controller refuses a body without members. */
const NOT_EMPTY = { minProperties: 1 };

@ApiSchema({ name: 'ApiKeyChange', description: 'Fields to change. Omitted fields are kept.', ...NOT_EMPTY })
export class ApiKeyChange {
  @TextField({ ...NAME, description: 'Distinguishes the key from others. `null` removes it.', nullable: true })
  name?: string | null;

  @EnumListField({ ...SCOPE_LIST, description: 'Scopes to keep. The key must already have them.' })
  scopes?: string[];

  @BooleanField({ description: 'Whether the key is paused.', example: true, optional: true })
  paused?: boolean;
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

/** Injects the identifier of a key in the path, and documents it. An invalid one is 404, because no key can have it. */
export function KeyId(): ParameterDecorator {
  const document = ApiParam({ name: 'keyId', description: "The key's identifier.", schema: KEY_ID_SCHEMA });
  return createParamDecorator(readKeyId, [documentParameter(document)])();
}

function readKeyId(_: unknown, context: ExecutionContext): string {
  const { keyId } = requestOf(context).params as { keyId: string };
  if (KEY_ID.test(keyId)) return keyId;
  throw keyNotFound(placeholderAdvice(keyId, 'keyId') ?? 'Ids look like key_0123456789abcdef.');
}
