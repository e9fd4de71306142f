export { ApiError, IntendedError } from './api-error.js';
export { ApiExceptionFilter } from './api-exception.filter.js';
export { DomainError, notFound, UnavailableError } from './domain-error.js';
export { ERROR_CODES, type ErrorCode } from './error-codes.js';
export { quoteName, unknownName } from './client-names.js';
export { type FindRequestFaults, ValidationFailedError } from './validation-failed.js';
export {
  CLIENT_GONE,
  errorJson,
  errorObject,
  MAX_MESSAGE_LENGTH,
  type OwnErrorCode,
  type Problem,
  problem,
  sendProblem,
} from './problem.js';
export { toProblem } from './to-problem.js';
