import { EXPIRED, INVALID, MISSING, PAUSED, REVOKED, scopeNeeded } from '../auth/index.js';
import { unavailable } from '../database/index.js';
import {
  headersTooLarge,
  inUse,
  malformedJson,
  type OwnErrorCode,
  payloadTooLarge,
  type Problem,
  problem,
  requestTimeout,
  reused,
  toProblem,
  unknownName,
  unsupportedMediaType,
  validationFailed,
} from '../http/index.js';
import { ERROR_CODES, type ErrorCode } from '../platform/index.js';
import { refuse, tooManyRequests } from '../rate-limit/index.js';

const NOW_SECONDS = 1_795_219_200;
const MINUTE = { limit: 300, windowSeconds: 60, resetSeconds: NOW_SECONDS + 60 };
const LIMITED = refuse('limited', MINUTE, NOW_SECONDS);
const BANNED = refuse('banned', MINUTE, NOW_SECONDS);

/** Errors of every operation. */
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

/** Errors of an operation that needs a scope. */
export const SCOPE_ERRORS: readonly (Problem | Error)[] = [scopeNeeded('pets:read', ['orders:read', 'orders:write'])];

/** Errors of an operation that uses quota. */
export const QUOTA_ERRORS: readonly (Problem | Error)[] = [tooManyRequests(LIMITED), tooManyRequests(BANNED)];

/** Errors of an operation that uses no quota. */
export const NO_QUOTA_ERRORS: readonly (Problem | Error)[] = [
  tooManyRequests(LIMITED, ' for operations that use no quota'),
];

/** Errors of invalid fields, in place of the error of invalid parameters. */
export const FIELD_ERRORS: readonly (Problem | Error)[] = [
  validationFailed([unknownName('field', 'colour', ['name', 'categoryId', 'status'])]),
];

/** Errors of reading a body, except for invalid fields. */
export const BODY_ERRORS: readonly (Problem | Error)[] = [
  malformedJson('is not valid JSON at line 1, column 9: names and strings need double quotes'),
  payloadTooLarge(17_000),
  unsupportedMediaType('text/plain'),
  requestTimeout(),
];

/** Errors of an operation that accepts an Idempotency-Key. */
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
