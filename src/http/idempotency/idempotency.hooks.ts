import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { validationFailed } from '../errors/api-error.js';
import { hasBody, isRepeated } from '../requests/request.js';
import type { IdempotencyService } from './idempotency.service.js';

/** Wraps Nest's handlers with all guards, interceptors, filters and serializers. None of them runs for a repeated request. */
export function addIdempotency(server: FastifyInstance, service: IdempotencyService): void {
  server.addHook('onRoute', (route) => {
    const { handler, config: { idempotency } = {} } = route;
    if (idempotency === undefined) return;
    route.handler = (request, reply) => {
      const run = () => handler.call(server, request, reply) as unknown;
      const { principal, headers } = request;
      if (headers['idempotency-key'] === undefined || principal === undefined) return run();
      if (idempotency === 'refused') throw validationFailed([REFUSED]);
      const fail = (error: unknown) => void reply.send(error);
      const handle = () => void Promise.resolve(run()).catch(fail);
      // Without a promise to Fastify, which would send what it resolves to.
      service.process(request, reply, idempotentRequest(request, principal.accountId), handle).catch(fail);
      return undefined;
    };
  });
}

const HEADER = 'Idempotency-Key';
const MAX_LENGTH = 255;
/** A string of structured fields (RFC 9651, section 3.3.3), or a text that stands for itself. */
const PATTERN = String.raw`^(?:"(?:[ !#-\[\]-~]|\\["\\]){1,${MAX_LENGTH}}"|[ !#-~][ -~]{0,${MAX_LENGTH - 1}})$`;
const valid = new RegExp(PATTERN);
const REFUSED = `${HEADER} must not be sent to this operation: its response contains a secret, which is not stored`;
const EXPECTED = `${HEADER} must be given once, as 1 to ${MAX_LENGTH} characters of printable ASCII, or as such a text in double quotes with \\ before " and \\`;

export const IDEMPOTENCY_KEY_PARAMETER = {
  name: HEADER,
  in: 'header' as const,
  required: false,
  description:
    'Makes it safe to retry the request. For 24 hours, the same key with the same request returns the first successful ' +
    'response, without any further effect. Use a random UUID. It can be in double quotes, with `\\"` and `\\\\` as escapes.',
  schema: {
    type: 'string' as const,
    minLength: 1,
    maxLength: 2 * MAX_LENGTH + 2,
    pattern: PATTERN,
    example: '7c5b1f3e-5d0f-4d0e-9d4b-6a1f0c7e2b90',
  },
};

/** What identifies a request with an Idempotency-Key, which `idempotencyKey` is as it was sent. */
export type IdempotentRequest = ReturnType<typeof idempotentRequest>;

/** @throws ApiError `validation_failed` */
function idempotentRequest(request: FastifyRequest, accountId: number) {
  const { raw, rawBody, method, url, headers } = request;
  const idempotencyKey = String(headers['idempotency-key']);
  if (!valid.test(idempotencyKey) || isRepeated(raw, 'idempotency-key')) throw validationFailed([EXPECTED]);
  const isQuoted = idempotencyKey.startsWith('"');
  const key = isQuoted ? idempotencyKey.slice(1, -1).replaceAll(/\\(.)/g, '$1') : idempotencyKey;
  if (rawBody === undefined && hasBody(raw))
    throw validationFailed([`${HEADER} must not be sent with a body that is not JSON`]);
  const target = createHash('sha256').update(`${method}\n${url}\n`);
  const fingerprint = target.update(rawBody ?? '').digest('base64url');
  return { accountId, key, idempotencyKey, fingerprint };
}
