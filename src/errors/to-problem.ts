import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
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

/** Knows the client errors of Fastify, its plugins and `http-errors`. */
const NEST = new BaseExceptionFilter();

/** The Error response to any exception. */
export function toProblem(exception: unknown): Problem {
  if (exception instanceof ApiError) return exception.problem;
  if (exception instanceof DomainError) return problem(exception.code, exception.message, headersOf(exception));
  if (exception instanceof HttpException) {
    const status = exception.getStatus();
    return { status, code: codeOf(status), message: wordsOf(exception) };
  }
  if (NEST.isHttpError(exception) && exception.statusCode < 500) {
    const { statusCode: status } = exception;
    return { status, code: codeOf(status), message: NEST.getHttpErrorMessage(exception) };
  }
  return problem('internal_error', 'The service failed to process this request.');
}

function headersOf(error: DomainError): Problem['headers'] {
  return error instanceof UnavailableError ? { 'retry-after': String(error.retryAfterSeconds) } : undefined;
}

/** The response of Nest's exceptions is a text, or an object whose `message` is a text or a list. */
function wordsOf(exception: HttpException): string {
  const response: unknown = exception.getResponse();
  const { message, error }: { message?: unknown; error?: unknown } =
    typeof response === 'object' && response !== null ? response : { message: response };
  if (Array.isArray(message) && message.every((part) => typeof part === 'string')) return message.join('; ');
  return [message, error].find((words) => typeof words === 'string') ?? exception.message;
}

/** A code of the registry; for other statuses, their reason phrase: `I'm a Teapot` becomes `i_m_a_teapot`. */
function codeOf(status: number): string {
  return BY_STATUS[status] ?? (STATUS_CODES[status] ?? 'error').toLowerCase().replaceAll(/[^a-z]+/g, '_');
}
