import type { ErrorCode } from './error-codes.js';
import { type OwnErrorCode, type Problem, problem } from './problem.js';

/** An error with a response of its own; the client receives it as an Error object. */
export class ApiError extends Error implements Problem {
  readonly status: number;
  readonly code: string;
  readonly headers: Problem['headers'];
  /** Whether it is intended, so not logged as a failure. */
  readonly isIntended: boolean = false;

  /**
   * @param code of the registry, or one of an extension with its status
   * @param message what is wrong and what would be valid, for the client's developer
   * @param headers response headers that belong to this error, such as Allow or Retry-After
   */
  constructor(code: ErrorCode | OwnErrorCode, message: string, headers?: Problem['headers']) {
    super(message);
    ({ status: this.status, code: this.code, headers: this.headers } = problem(code, message, headers));
  }

  /** Wraps a problem in an error that can be thrown. */
  static of({ code, status, message, headers }: Problem): ApiError {
    return new ApiError({ code, status, meaning: message }, message, headers);
  }
}

/** The instance is stopping and refuses requests. */
export class StoppingError extends ApiError {
  override readonly isIntended = true;

  constructor() {
    super('service_unavailable', 'This instance is shutting down. Use another one.', { 'retry-after': '1' });
  }
}

/** An error that a client asked for. */
export class RehearsedError extends ApiError {
  override readonly isIntended = true;

  constructor({ code, status, message, headers }: Problem) {
    super({ code, status, meaning: message }, message, headers);
  }
}
