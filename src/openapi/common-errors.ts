import { EXPIRED, INVALID, MISSING, PAUSED, REVOKED, scopeNeeded } from '../auth/caller.js';
import { unavailable } from '../database/unavailable.js';
import { headersTooLarge } from '../http/connections/client-error.js';
import { inUse, reused } from '../http/idempotency/idempotency.service.js';
import { malformedJson, payloadTooLarge, requestTimeout, unsupportedMediaType } from '../http/requests/message.js';
import { type OwnErrorCode, type Problem, problem, validationFailed } from '../http/errors/problem.js';
import { toProblem } from '../http/errors/api-exception.filter.js';
import { unknownName } from '../http/errors/client-names.js';
import { ERROR_CODES, type ErrorCode } from '../platform/errors/error-codes.js';
import { tooManyRequests } from '../rate-limit/rate-limit-headers.js';
import { refuse } from '../rate-limit/windows/decision.js';
import type { OperationOptions } from './operation.decorator.js';

const NOW_SECONDS = 1_795_219_200;
const MINUTE = { limit: 300, windowSeconds: 60, resetSeconds: NOW_SECONDS + 60 };
const LIMITED = refuse('limited', MINUTE, NOW_SECONDS);
const BANNED = refuse('banned', MINUTE, NOW_SECONDS);

export const COMMON_ERRORS: readonly (Problem | Error)[] = [
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

/** Errors of reading a body, except for invalid fields. */
const BODY_ERRORS: readonly Error[] = [
  malformedJson('is not valid JSON at line 1, column 9: names and strings need double quotes'),
  payloadTooLarge(17_000),
  unsupportedMediaType('text/plain'),
  requestTimeout(),
];

export const QUOTA_ERRORS: readonly Problem[] = [tooManyRequests(LIMITED), tooManyRequests(BANNED)];

/** @param ofParameters those of the handler's parameters */
export function errorsOfOperation(
  { scope, quota, errors = [], bodyLimitBytes }: OperationOptions,
  hasBody: boolean,
  ofParameters: readonly Error[],
): Problem[] {
  const all = [
    ...COMMON_ERRORS,
    ...(hasBody ? [validationFailed([unknownName('field', 'colour', ['name', 'categoryId', 'status'])])] : []),
    ...(scope === null ? [] : [scopeNeeded('pets:read', ['orders:read', 'orders:write'])]),
    ...(quota === 'none' ? [tooManyRequests(LIMITED, ' for operations that use no quota')] : QUOTA_ERRORS),
    ...errors,
    ...ofParameters,
    ...(hasBody ? BODY_ERRORS : []),
    ...(bodyLimitBytes === undefined ? [] : [payloadTooLarge(bodyLimitBytes + 1, bodyLimitBytes)]),
  ].map(documentedError);
  // Of two errors with the same code, the later one is declared by the operation.
  return [...new Map(all.map((error) => [error.code, error])).values()];
}

export const IDEMPOTENCY_ERRORS = [reused(), inUse()].map(documentedError);

/** The unknown identifier in the examples of errors. */
export const UNKNOWN_ID = '404';

/**
 * The response to an error that an operation can return.
 * @param error a code, or an exception or response whose message and headers are the example in the document
 */
export function documentedError(error: ErrorCode | OwnErrorCode | Error | Problem): Problem {
  if (typeof error === 'string') return problem(error, ERROR_CODES[error].meaning);
  if (error instanceof Error) return toProblem(error);
  return 'message' in error ? error : problem(error, error.meaning);
}
