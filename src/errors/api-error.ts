import { HttpException } from '@nestjs/common';
import type { ErrorCode } from './error-codes.js';
import { errorObject, type OwnErrorCode, type Problem, problem } from './problem.js';

/** An error with a response of its own; the client receives it as an Error object. */
export class ApiError extends HttpException {
  /** The response. */
  readonly problem: Problem;

  /**
   * @param code of the registry, or one of an extension with its status
   * @param message what is wrong and what would be valid, for the client's developer
   * @param headers response headers that belong to this error, such as Allow or Retry-After
   */
  constructor(code: ErrorCode | OwnErrorCode, message: string, headers?: Problem['headers']) {
    const answer = problem(code, message, headers);
    super(errorObject(answer), answer.status);
    this.problem = answer;
  }

  get code(): string {
    return this.problem.code;
  }

  /** Wraps a problem in an error that can be thrown. */
  static of({ code, status, message, headers }: Problem): ApiError {
    return new ApiError({ code, status, meaning: message }, message, headers);
  }
}

/** An error that is no failure, and so not logged as one: the instance is stopping, or the client asked for the error. */
export class IntendedError extends ApiError {}
