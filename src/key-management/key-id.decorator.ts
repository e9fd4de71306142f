import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ApiParamOptions } from '@nestjs/swagger';
import { KEY_ID, keyNotFound } from '../api-keys/index.js';
import { requestOf } from '../http/index.js';

/** Injects the identifier of a key in the path. An invalid identifier is 404, because no key can have it. */
export const KeyId = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { keyId } = requestOf(context).params as { keyId: string };
  if (!KEY_ID.test(keyId)) throw keyNotFound();
  return keyId;
});

export const KEY_ID_SCHEMA = {
  type: 'string',
  pattern: KEY_ID.source,
  maxLength: 'key_0123456789abcdef'.length,
  example: 'key_0123456789abcdef',
} as const;

export const KEY_ID_PARAM: ApiParamOptions = {
  name: 'keyId',
  description: "The key's identifier.",
  schema: KEY_ID_SCHEMA,
};
