export { ApiError } from './api-error.js';
export { ApiExceptionFilter } from './api-exception.filter.js';
export { ERROR_CODES, type ErrorCode } from './error-codes.js';
export { ErrorBody } from './error-body.js';
export { errorJson, type OwnErrorCode, type Problem, problem, sendProblem } from './problem.js';
