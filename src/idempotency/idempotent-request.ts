import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { readBearerToken } from '../auth/index.js';
import { ValidationFailedError } from '../errors/index.js';
import { hasBody, isRepeated } from '../http/index.js';

const HEADER = 'Idempotency-Key';
const MAX_LENGTH = 255;
const PATTERN = `^[ -~]{1,${MAX_LENGTH}}$`;
const printable = new RegExp(PATTERN);
const NO_BODY = Buffer.alloc(0);

/** The header in the OpenAPI document. */
export const IDEMPOTENCY_KEY_PARAMETER = {
  name: HEADER,
  in: 'header' as const,
  required: false,
  description:
    'Makes it safe to repeat the request. For 24 hours, the same key with the same request and API key returns the first ' +
    'successful response, without any further effect. Use a random UUID.',
  schema: {
    type: 'string' as const,
    minLength: 1,
    maxLength: MAX_LENGTH,
    pattern: PATTERN,
    example: '7c5b1f3e-5d0f-4d0e-9d4b-6a1f0c7e2b90',
  },
};

/** The parts of a request with an Idempotency-Key that identify it. */
export interface IdempotentRequest {
  readonly accountId: number;
  /** 1 to 255 characters of printable ASCII. */
  readonly idempotencyKey: string;
  /** Hash of the API key, the method, the target and the bytes of the body. */
  readonly fingerprint: string;
  /** The API key of the request. */
  readonly apiKey: string;
}

/**
 * Reads a request with an Idempotency-Key.
 * @param idempotencyKey as it was sent
 * @throws ValidationFailedError
 */
export function idempotentRequest(request: FastifyRequest, idempotencyKey: string | string[]): IdempotentRequest {
  const { raw, caller, rawBody, method, url } = request;
  if (typeof idempotencyKey !== 'string' || !printable.test(idempotencyKey) || isRepeated(raw, 'idempotency-key')) {
    throw refusal(`must be given once, as 1 to ${MAX_LENGTH} characters of printable ASCII`);
  }
  const apiKey = readBearerToken(request);
  if (caller === undefined || typeof apiKey !== 'string') {
    throw refusal('must not be sent to an operation without an API key');
  }
  if (rawBody === undefined && hasBody(raw)) throw refusal('must not be sent with a body that is not JSON');
  const fingerprint = createHash('sha256')
    .update(`${caller.keyId}\n${method}\n${url}\n`)
    .update(rawBody ?? NO_BODY)
    .digest('base64url');
  return { accountId: caller.accountId, idempotencyKey, fingerprint, apiKey };
}

function refusal(message: string): ValidationFailedError {
  return new ValidationFailedError([`${HEADER} ${message}`]);
}
