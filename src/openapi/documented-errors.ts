import { STATUS_CODES } from 'node:http';
import type { HeadersObject, ResponseObject, SchemaObject } from '@nestjs/swagger';
import { EXPIRED, INVALID, MISSING, PAUSED, REVOKED, scopeNeeded, SUSPENDED } from '../auth/unauthorized.js';
import { unavailable } from '../database/unavailable.js';
import { headersTooLarge } from '../http/connections/client-error.js';
import { toProblem } from '../http/errors/api-exception.filter.js';
import { unknownName } from '../http/errors/client-names.js';
import type { ErrorCode, OwnErrorCode, Problem } from '../platform/errors/error-codes.js';
import { CODE_PATTERN, ERROR_CODES, errorObject, MAX_CODE_LENGTH } from '../platform/errors/error-codes.js';
import { MAX_MESSAGE_LENGTH, problem } from '../platform/errors/error-codes.js';
import { validationFailed } from '../http/errors/api-error.js';
import { inUse, reused } from '../http/idempotency/idempotency.service.js';
import { malformedJson, METHODS_WITH_BODY, payloadTooLarge } from '../http/requests/bodies.js';
import { requestTimeout, unsupportedMediaType } from '../http/requests/bodies.js';
import { COMMON_HEADERS, type HeaderName, headerReferences, optionalHeaders } from '../http/response-headers.js';
import { refuse } from '../rate-limit/windows/decision.js';
import { tooManyRequests } from '../rate-limit/rate-limit-headers.js';
import type { OperationOptions } from './operation.decorator.js';

const NOW_SECONDS = 1_795_219_200;
const MINUTE = { limit: 300, windowSeconds: 60, resetSeconds: NOW_SECONDS + 60 };
const LIMITED = refuse('limited', MINUTE, NOW_SECONDS);
const BANNED = refuse('banned', MINUTE, NOW_SECONDS);

const COMMON_ERRORS: readonly (Problem | Error)[] = [
  MISSING,
  INVALID,
  EXPIRED,
  REVOKED,
  PAUSED,
  validationFailed([unknownName('query parameter', 'page', ['after'])]),
  headersTooLarge(),
  // Stands for every unexpected failure.
  new Error('Unforeseen.'),
  unavailable(),
];

const FORBIDDEN = scopeNeeded('pets:read', ['orders:read', 'orders:write']);

const BODY_ERRORS: readonly Problem[] = [
  malformedJson('is not valid JSON at line 1, column 9: names and strings need double quotes'),
  payloadTooLarge(17_000),
  unsupportedMediaType('text/plain'),
  requestTimeout(),
].map(documentedError);

const QUOTA_ERRORS: readonly Problem[] = [tooManyRequests(LIMITED), tooManyRequests(BANNED)];

export function errorsOfOperation(
  { scope, quota, errors = [], bodyLimitBytes }: OperationOptions,
  hasBody: boolean,
  ofParameters: readonly Error[],
): Problem[] {
  const all = [
    ...COMMON_ERRORS,
    ...(hasBody ? [validationFailed([unknownName('field', 'colour', ['name', 'categoryId', 'status'])])] : []),
    ...(scope === null ? [] : [FORBIDDEN]),
    SUSPENDED,
    ...(quota === 'none' ? [tooManyRequests(LIMITED, ' for operations that use no quota')] : QUOTA_ERRORS),
    ...errors,
    ...ofParameters,
    ...(hasBody ? BODY_ERRORS : []),
    ...(bodyLimitBytes === undefined ? [] : [payloadTooLarge(bodyLimitBytes + 1, bodyLimitBytes)]),
  ].map(documentedError);
  // Of two errors with the same code, the later one is declared by the operation.
  return [...new Map(all.map((error) => [error.code, error])).values()];
}

const IDEMPOTENCY_ERRORS = [reused(), inUse()].map(documentedError);

/** The errors of an operation, and those that come with its method. */
export function errorsOfRoute(method: string, own: readonly Problem[], isIdempotent: boolean): Problem[] {
  // A body that an operation does not take is read all the same.
  const bodyErrors = METHODS_WITH_BODY.has(method.toUpperCase()) ? BODY_ERRORS : [];
  const ofIgnoredBody = bodyErrors.filter(({ status }) => own.every((error) => error.status !== status));
  return [...own, ...ofIgnoredBody, ...(isIdempotent ? IDEMPOTENCY_ERRORS : [])];
}

/** In the examples of errors. */
export const UNKNOWN_ID = '404';

/** @param error a code, or an exception or response whose message and headers are the example in the document */
function documentedError(error: ErrorCode | OwnErrorCode | Error | Problem): Problem {
  if (typeof error === 'string') return problem(error, ERROR_CODES[error].meaning);
  if (error instanceof Error) return toProblem(error);
  return 'message' in error ? error : problem(error, error.meaning);
}

/** Errors that nearly all operations have. Their responses are named after the status. */
const USUAL_ERRORS = [...COMMON_ERRORS, FORBIDDEN, SUSPENDED, ...QUOTA_ERRORS].map(documentedError);

/** The name of a response, such as `Unauthorized`, `PetNotFound` or `PetInOrderOrInvalidStatusTransition`. */
export function responseName(status: number, errors: readonly Problem[]): string {
  const codes = errors.map(({ code }) => code).join('_or_');
  const usual = USUAL_ERRORS.filter((error) => error.status === status).map(({ code }) => code);
  if (codes === usual.join('_or_')) return (STATUS_CODES[status] ?? '').replaceAll(/\W/g, '');
  return codes.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function errorResponse(status: number, errors: readonly Problem[]): ResponseObject {
  const examples = Object.fromEntries(errors.map((error) => [error.code, { value: errorObject(error) }]));
  const list = errors.map(({ code, message, meaning = message }) => `- \`${code}\`: ${meaning}`).join('\n');
  const [only] = errors.length === 1 ? errors : [];
  return {
    description: only ? (only.meaning ?? only.message) : list,
    headers: headersOf(status, errors),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        ...(only ? { example: errorObject(only) } : { examples }),
      },
    },
  };
}

function headersOf(status: number, errors: readonly Problem[]): HeadersObject {
  // A request with too many headers gets no further than the parser: it has no key and no route.
  if (status === 431) return headerReferences(['Id']);
  const holders = (name: string) => errors.filter(({ headers = {} }) => name in headers).length;
  const names: HeaderName[] = [...COMMON_HEADERS, 'Help'];
  if (status === 401 || status === 429) names.push('Cache-Control');
  if (holders('accept') > 0) names.push('Accept', 'Accept-Patch', 'Accept-Encoding');
  if (holders('www-authenticate') > 0) names.push('WWW-Authenticate');
  const retries = holders('retry-after');
  // Only some errors of a status may have it.
  const refer = retries === errors.length ? headerReferences : optionalHeaders;
  return { ...headerReferences(names), ...refer(retries > 0 ? ['Retry-After'] : []) };
}

/** Without `then` and `else`, it allows all texts (JSON Schema 2020-12). Of `anyOf`, generators make wrappers. */
const REFERS_TO_KNOWN = { if: { $ref: '#/components/schemas/KnownErrorCode' } };

/** @param codes of the documented errors, including those of extensions */
export function errorSchemas(codes: Iterable<string>): Record<'Error' | 'KnownErrorCode', SchemaObject> {
  return {
    KnownErrorCode: {
      type: 'string',
      description: 'The known error codes. New ones can be added.',
      enum: [...new Set([...Object.keys(ERROR_CODES), ...codes])],
    },
    Error: {
      type: 'object',
      description: 'The body of every error response.',
      properties: {
        code: {
          type: 'string',
          maxLength: MAX_CODE_LENGTH,
          pattern: CODE_PATTERN,
          description: 'Machine-readable error code, one of `KnownErrorCode` or a newer one.',
          ...REFERS_TO_KNOWN,
          examples: ['validation_failed'],
        },
        message: {
          type: 'string',
          maxLength: MAX_MESSAGE_LENGTH,
          pattern: '\\S',
          description: 'Human-readable description.',
          examples: ['limit must be an integer from 1 to 100.'],
        },
        status: {
          type: 'integer',
          format: 'int32',
          minimum: 400,
          maximum: 599,
          description: 'The HTTP status code.',
          examples: [400],
        },
      },
      required: ['code', 'message', 'status'],
    },
  };
}
