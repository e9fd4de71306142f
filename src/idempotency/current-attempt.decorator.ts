import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors/index.js';
import { isRepeated, replyOf, requestOf } from '../http/index.js';
import { operationPart } from '../openapi/index.js';
import type { Attempt } from './attempt.js';

const HEADER = 'Idempotency-Key';
const MAX_LENGTH = 255;
const PATTERN = `^[ -~]{1,${MAX_LENGTH}}$`;
const printable = new RegExp(PATTERN);

const DOCUMENTED = operationPart(
  { errors: ['idempotency_key_reused', 'idempotency_key_in_use'] },
  ApiHeader({
    name: HEADER,
    required: false,
    description:
      'Makes it safe to send the request again: for 24 hours the same key with the same request, sent with the same API key, ' +
      'gets the answer of the first one that succeeded, and nothing is done twice. A random UUID is a good key.',
    schema: { type: 'string', minLength: 1, maxLength: MAX_LENGTH, pattern: PATTERN, example: '7c5b1f3e-5d0f-4d0e-9d4b-6a1f0c7e2b90' },
  }),
);

/**
 * Hands a handler what Idempotency answers through, and documents the header Idempotency-Key on the operation.
 * Every POST has one.
 */
export const CurrentAttempt = createParamDecorator((_: unknown, context: ExecutionContext): Attempt => {
  const request = requestOf(context);
  return { key: keyOf(request), request, reply: replyOf(context) };
}, [DOCUMENTED]);

function keyOf({ headers, raw }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && printable.test(key) && !isRepeated(raw.rawHeaders, 'idempotency-key')) return key;
  throw new ApiError('validation_failed', `${HEADER} must be given once, as 1 to ${MAX_LENGTH} characters of printable ASCII.`);
}
