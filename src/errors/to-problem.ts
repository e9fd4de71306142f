import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';
import { ApiError } from './api-error.js';
import { DomainError, UnavailableError } from './domain-error.js';
import type { ErrorCode } from './error-codes.js';
import { type Problem, problem } from './problem.js';

/** The code of an error that has only a status, such as those of Nest and Fastify. */
const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'validation_failed',
  401: 'invalid_api_key',
  403: 'insufficient_scope',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'conflict',
  410: 'operation_removed',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'unprocessable_content',
  429: 'rate_limit_exceeded',
  431: 'headers_too_large',
  500: 'internal_error',
  503: 'service_unavailable',
};

/** The Error response to any exception. */
export function toProblem(exception: unknown): Problem {
  if (exception instanceof ApiError) return exception;
  if (exception instanceof DomainError) return problem(exception.code, exception.message, headersOf(exception));
  if (exception instanceof HttpException) {
    const status = exception.getStatus();
    return { status, code: codeOf(status), message: wordsOf(exception) };
  }
  if (isFastifyRefusal(exception))
    return { status: exception.statusCode, code: codeOf(exception.statusCode), message: exception.message };
  return problem('internal_error', 'The service failed to process this request.');
}

function headersOf(error: DomainError): Problem['headers'] {
  return error instanceof UnavailableError ? { 'retry-after': String(error.retryAfterSeconds) } : undefined;
}

/** The `message` of Nest's exceptions is a text, a list of texts or an object. */
function wordsOf(exception: HttpException): string {
  const response = exception.getResponse();
  const words: unknown = typeof response === 'object' && 'message' in response ? response.message : response;
  if (Array.isArray(words)) return words.map(String).join('; ');
  return typeof words === 'string' ? words : exception.message;
}

interface FastifyRefusal extends Error {
  readonly statusCode: number;
}

/** Whether Fastify, or one of its plugins, reports a client error. */
function isFastifyRefusal(exception: unknown): exception is FastifyRefusal {
  if (!(exception instanceof Error) || !('code' in exception) || !('statusCode' in exception)) return false;
  const { code, statusCode } = exception;
  return (
    typeof code === 'string' &&
    code.startsWith('FST_') &&
    typeof statusCode === 'number' &&
    statusCode >= 400 &&
    statusCode < 500
  );
}

/** A code of the registry; for other statuses, their reason phrase: `I'm a Teapot` becomes `i_m_a_teapot`. */
function codeOf(status: number): string {
  return BY_STATUS[status] ?? (STATUS_CODES[status] ?? 'error').toLowerCase().replaceAll(/[^a-z]+/g, '_');
}
