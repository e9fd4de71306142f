import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type ErrorCode, errorObject, listed, type OwnErrorCode } from '../../platform/errors/error-codes.js';
import { type Problem, problem, sentMessage } from '../../platform/errors/error-codes.js';
import { addLink, addToListHeader } from '../addresses.js';
import { prefers } from '../requests/request.js';

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

  static of({ code, status, message, headers, meaning = message }: Problem, isExpected = false): ApiError {
    return new ApiError({ code, status, meaning }, message, headers, isExpected);
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
  const first = [...new Set(faults)].slice(0, MAX_FAULTS);
  // An unknown name that is not quoted can be said with and without the known ones.
  const told = first.filter((fault, index) => !first.slice(0, index).some((other) => other.startsWith(`${fault} (`)));
  return new ApiError('validation_failed', `${listed(told, '; ', 1)}.`);
}

export function errorJson(answer: Problem): string {
  return JSON.stringify(errorObject(answer));
}

const PROBLEM_TYPE = 'application/problem+json';
const IANA_TYPES = 'https://iana.org/assignments/http-problem-types#';
/** draft-ietf-httpapi-ratelimit-headers-11, section 5. */
const QUOTA_TYPES = new Map([
  ['rate_limit_exceeded', `${IANA_TYPES}quota-exceeded`],
  ['api_key_banned', `${IANA_TYPES}abnormal-usage-detected`],
]);

/** Problem details (RFC 9457). */
function problemJson(reply: FastifyReply, answer: Problem): string {
  const { code, status, meaning } = answer;
  const quotaType = QUOTA_TYPES.get(code);
  const exhausted = String(reply.getHeader('ratelimit')).matchAll(/"(\w+)";r=0/g);
  return JSON.stringify({
    type: quotaType ?? `${reply.server.errorPage ?? ''}#${code}`,
    title: meaning ?? STATUS_CODES[status],
    status,
    detail: sentMessage(answer),
    code,
    ...(quotaType && { 'violated-policies': Array.from(exhausted, ([, name]) => name) }),
  });
}

/** Values of Cache-Control with which caches ask before they reuse a response, if they store it. */
const NOT_REUSED = /^(?:private, )?no-cache$|\bno-store\b/i;

/** Sends an Error response; every error of a request goes through here, unless its head cannot be written. */
export function sendProblem(reply: FastifyReply, answer: Problem): void {
  reply.send(writeProblem(reply, answer));
}

/** Writes the head of an Error, and returns its body: problem details if the client asks for them. */
export function writeProblem(reply: FastifyReply, answer: Problem): string {
  const { status, code, headers = {} } = answer;
  reply.headers(headers);
  reply.header('x-request-id', reply.request.id);
  const { errorPage } = reply.server;
  if (errorPage !== undefined) addLink(reply, `<${errorPage}#${code}>; rel="help"`);
  if (status === 401 || status === 429) reply.header('cache-control', 'no-store');
  // Caches can reuse some errors otherwise (RFC 9110, section 15.1), and what the handler allows is meant for its success.
  else if (!NOT_REUSED.test(String(reply.getHeader('cache-control')))) reply.header('cache-control', 'no-cache');
  // Exceptions of Nest do not say when to try again, and every 429 and 503 does.
  if ((status === 429 || status === 503) && !reply.hasHeader('retry-after')) reply.header('retry-after', '1');
  reply.code(status).header('content-type', 'application/json; charset=utf-8');
  if (!prefers(reply.request, PROBLEM_TYPE, 'application/json')) return errorJson(answer);
  // Caches reuse no Error without asking, so that only this one says what it depends on.
  addToListHeader(reply.header('content-type', `${PROBLEM_TYPE}; charset=utf-8`), 'vary', 'Accept');
  return problemJson(reply, answer);
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
