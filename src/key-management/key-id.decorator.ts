import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { KEY_ID, keyNotFound } from '../api-keys/index.js';
import { requestOf } from '../http/index.js';
import { operationPart } from '../openapi/index.js';

export const KEY_ID_SCHEMA = {
  type: 'string',
  pattern: KEY_ID.source,
  maxLength: 'key_0123456789abcdef'.length,
  example: 'key_0123456789abcdef',
} as const;

/** Injects the identifier of a key in the path, and documents it. An invalid one is 404, because no key can have it. */
export function KeyId(): ParameterDecorator {
  const document = ApiParam({ name: 'keyId', description: "The key's identifier.", schema: KEY_ID_SCHEMA });
  return createParamDecorator(readKeyId, [operationPart({}, document)])();
}

function readKeyId(_: unknown, context: ExecutionContext): string {
  const { keyId } = requestOf(context).params as { keyId: string };
  if (!KEY_ID.test(keyId)) throw keyNotFound();
  return keyId;
}
