import { EXPIRED, INVALID, MISSING, REVOKED, scopeNeeded } from '../auth/index.js';
import { unavailable } from '../database/index.js';
import { ValidationFailedError } from '../errors/index.js';
import { malformedJson, payloadTooLarge, requestTimeout, unsupportedMediaType } from '../http/index.js';
import { inUse, reused } from '../idempotency/index.js';
import { refuse, tooManyRequests } from '../rate-limit/index.js';
import { documentedError, type ErrorDeclaration } from './documented-error.js';

const NOW_SECONDS = 1_795_219_200;
const MINUTE = { limit: 300, windowSeconds: 60, resetSeconds: NOW_SECONDS + 60 };
const LIMITED = refuse('limited', MINUTE, NOW_SECONDS);
const BANNED = refuse('banned', MINUTE, NOW_SECONDS);

/** Errors of every operation. */
export const COMMON_ERRORS: readonly ErrorDeclaration[] = [
  MISSING,
  INVALID,
  EXPIRED,
  REVOKED,
  scopeNeeded('pets:read'),
  new ValidationFailedError(['limit must be an integer from 1 to 100']),
  // Stands for every unexpected failure.
  new Error('Unforeseen.'),
  unavailable(),
];

/** Errors of an operation that uses quota. */
export const QUOTA_ERRORS: readonly ErrorDeclaration[] = [tooManyRequests(LIMITED), tooManyRequests(BANNED)];

/** Errors of an operation that uses no quota. */
export const NO_QUOTA_ERRORS: readonly ErrorDeclaration[] = [
  tooManyRequests(LIMITED, ' for operations that use no quota'),
];

/** Errors of reading a body, except for invalid fields. */
export const BODY_ERRORS: readonly ErrorDeclaration[] = [
  malformedJson('it cannot be parsed'),
  payloadTooLarge(),
  unsupportedMediaType(),
  requestTimeout(),
];

/** Errors of a POST with an Idempotency-Key. */
export const IDEMPOTENCY_ERRORS = [reused(), inUse()].map(documentedError);
