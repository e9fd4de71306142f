import { HttpException } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ErrorCode, errorObject, listed, type OwnErrorCode } from '../../platform/errors/error-codes.js';
import { type Problem, problem } from '../../platform/errors/error-codes.js';
import { addLink } from '../addresses.js';

/** An HTTP error that a controller, a guard or an interceptor throws; the client receives it as an Error object. */
export class ApiError extends HttpException {
  readonly problem: Problem;

  /**
   * @param message what is wrong and what would be valid, for the client's developer
   * @param headers that belong to this error, such as Allow or Retry-After
   * @param isExpected whether it is no failure of the service, and so not logged as one, whatever its status
   */
  constructor(
    code: ErrorCode | OwnErrorCode,
    message: string,
    headers?: Problem['headers'],
    readonly isExpected = false,
  ) {
    const answer = problem(code, message, headers);
    super(errorObject(answer), answer.status);
    this.problem = answer;
  }

  get code(): string {
    return this.problem.code;
  }

  static of({ code, status, message, headers }: Problem, isExpected = false): ApiError {
    return new ApiError({ code, status, meaning: message }, message, headers, isExpected);
  }
}

/** The Error of whatever the service did not expect, with headers that a handler may have set to other values. */
export const INTERNAL_ERROR = problem('internal_error', 'The service failed to process this request.', {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
});

const GONE = { code: 'client_closed_request', status: 499, meaning: 'The client closed the connection.' };
/** No client receives this; logs and metrics have the status, as those of nginx do. */
export const CLIENT_GONE = problem(GONE, GONE.meaning);

export const MAX_FAULTS = 5;
/** @param faults all that is wrong with the query or the body, each without its full stop; repeated ones are named once */
export function validationFailed(faults: readonly string[]): ApiError {
  return new ApiError('validation_failed', `${listed([...new Set(faults)].slice(0, MAX_FAULTS), '; ', 1)}.`);
}

export function errorJson(answer: Problem): string {
  return JSON.stringify(errorObject(answer));
}

/** Sends an Error response; every error of a request goes through here, unless its head cannot be written. */
export function sendProblem(reply: FastifyReply, answer: Problem): void {
  writeHead(reply, answer);
  reply.send(errorJson(answer));
}

export function writeHead(reply: FastifyReply, { status, code, headers = {} }: Problem): void {
  reply.headers(headers);
  reply.header('x-request-id', reply.request.id);
  const { errorPage } = reply.server;
  if (errorPage !== undefined) addLink(reply, `<${errorPage}#${code}>; rel="help"`);
  if (status === 401 || status === 429) reply.header('cache-control', 'no-store');
  // Exceptions of Nest do not say when to try again, and every 429 and 503 does.
  if ((status === 429 || status === 503) && !reply.hasHeader('retry-after')) reply.header('retry-after', '1');
  reply.code(status).header('content-type', 'application/json; charset=utf-8');
}

/** Headers that describe a response (RFC 9110, sections 8 and 10.2). */
const OF_RESPONSE = /^(?:content-(?!security).+|etag|last-modified|location)$/;

/** Removes what a handler said of its response before it failed. Links of a deprecated operation remain. */
export function forgetResponse(reply: FastifyReply): void {
  const hasPages = !reply.hasHeader('deprecation');
  removeHeaders(reply, (name) => OF_RESPONSE.test(name) || (hasPages && name === 'link'));
}

export function removeHeaders(reply: FastifyReply, isRemoved: (name: string, value: unknown) => boolean): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) if (isRemoved(name, value)) reply.removeHeader(name);
  // Node keeps that of its first attempt to write.
  reply.raw.statusMessage = '';
}
