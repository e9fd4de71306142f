import type { ErrorCode } from './error-codes.js';
import { type OwnErrorCode, type Problem, problem } from './problem.js';

/** Thrown anywhere in the handling of a request; the client receives it as an Error. */
export class ApiError extends Error implements Problem {
  readonly status: number;
  readonly code: string;
  readonly headers: Problem['headers'];

  /**
   * @param code one of the registry, or an own one with its status
   * @param message what is wrong and what would be right, for the client's developer
   * @param headers response headers that belong to this error, such as Allow or Retry-After
   */
  constructor(code: ErrorCode | OwnErrorCode, message: string, headers?: Problem['headers']) {
    super(message);
    ({ status: this.status, code: this.code, headers: this.headers } = problem(code, message, headers));
  }
}
