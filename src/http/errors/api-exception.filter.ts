import { ServerResponse, STATUS_CODES } from 'node:http';
import { Catch, HttpException, Logger, ServiceUnavailableException } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter, OnApplicationShutdown } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { from, mergeMap, type Observable } from 'rxjs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describe, DomainError } from '../../platform/errors/domain-error.js';
import { type ErrorCode, type Problem, problem } from '../../platform/errors/error-codes.js';
import { SampledLog } from '../../platform/logging/sampled-log.js';
import { requestFields } from '../requests/request.js';
import { ApiError, CLIENT_GONE, forgetResponse, INTERNAL_ERROR, sendProblem } from './api-error.js';

/** Turns every exception, ours, Nest's or Fastify's, into a response. */
@Catch()
export class ApiExceptionFilter implements ExceptionFilter, OnApplicationShutdown {
  private readonly failures = new SampledLog('Errors', 'error', {
    first: 'request failed',
    others: 'more requests failed in the same way',
  });
  private readonly logger = new Logger('Requests');

  catch(exception: unknown, host: ArgumentsHost): void | Observable<never> {
    if (host.getType() === 'rpc') return answerMessage(exception, host);
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply | ServerResponse>();
    // Middleware runs before Fastify's handler: its errors go to Fastify, which calls this filter again with its reply.
    if (reply instanceof ServerResponse) return http.getNext<(error: unknown) => void>()(exception);
    const health = healthResultOf(exception);
    if (health !== undefined) return void reply.code(503).header('retry-after', '1').send(health);
    const known = isAborted(request, exception) ? CLIENT_GONE : toProblem(exception);
    // An exception can have any status.
    const answer = known.status >= 200 && known.status <= 599 ? known : INTERNAL_ERROR;
    // 501 is not a failure of the service.
    const isFailure = answer.status >= 500 && answer.status !== 501;
    if (isFailure && !(exception instanceof ApiError && exception.isExpected)) this.report(request, answer, exception);
    // Fastify reports no response to a client that is gone.
    if (answer.status === CLIENT_GONE.status)
      this.logger.debug({ message: 'request', ...requestFields(request), status: answer.status });
    // A response that is partly sent can no longer become an Error.
    if (reply.sent || reply.raw.headersSent) return void reply.raw.destroy();
    if (answer === INTERNAL_ERROR) forgetResponse(reply);
    sendProblem(reply, answer);
  }

  report(request: FastifyRequest, { status, code }: Problem, exception: unknown): void {
    const { method, route, ...fields } = requestFields(request);
    // An unavailable server is not a fault in the code, so a stack would not help.
    const error = describe(exception, code === 'service_unavailable' ? 'message' : 'stack');
    // The message, and the line that threw it: the rest of a stack depends on what else the request waited for.
    const origin = error.split('\n', 2).join('\n');
    this.failures.add({ method, route, status, code }, { ...fields, error }, origin);
  }

  onApplicationShutdown(): void {
    this.failures.flush();
  }
}

/** Nest answers the messages of a microservice with `inheritAppConfig`. Only those who have one have its package. */
function answerMessage(exception: unknown, host: ArgumentsHost): Observable<never> {
  return from(import('@nestjs/microservices')).pipe(
    mergeMap(({ BaseRpcExceptionFilter }) => new BaseRpcExceptionFilter<unknown, never>().catch(exception, host)),
  );
}

/** The result of a check by `HealthCheckService` of `@nestjs/terminus`, which platforms read as it is. */
function healthResultOf(exception: unknown): object | undefined {
  const result: unknown = exception instanceof ServiceUnavailableException ? exception.getResponse() : undefined;
  return typeof result === 'object' && result !== null && 'details' in result && 'info' in result ? result : undefined;
}

/** Whether reading the body failed because the client closed the connection. */
function isAborted({ raw }: FastifyRequest, exception: unknown): boolean {
  const { code }: { code?: unknown } = Object(exception);
  return raw.destroyed && code === 'ECONNRESET';
}

/** Codes of errors that have only a status, where they are not named after it. */
const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'validation_failed',
  422: 'unprocessable_content',
  429: 'rate_limit_exceeded',
  431: 'headers_too_large',
  500: 'internal_error',
};

/** Knows the client errors of Fastify, its plugins and `http-errors`. */
const NEST = new BaseExceptionFilter();

export function toProblem(exception: unknown): Problem {
  if (exception instanceof ApiError) return exception.problem;
  if (exception instanceof DomainError) {
    const { code, message } = exception;
    return problem(code, message, code === 'service_unavailable' ? { 'retry-after': '1' } : undefined);
  }
  if (exception instanceof HttpException) {
    const status = exception.getStatus();
    return { status, code: codeOf(status), message: wordsOf(exception) };
  }
  if (!NEST.isHttpError(exception) || exception.statusCode >= 500) return INTERNAL_ERROR;
  const { statusCode: status } = exception;
  return { status, code: codeOf(status), message: NEST.getHttpErrorMessage(exception) };
}

/** The response of Nest's exceptions is a text, or an object whose `message` is a text or a list. */
function wordsOf(exception: HttpException): string {
  const response: unknown = exception.getResponse();
  const { message, error }: { message?: unknown; error?: unknown } =
    typeof response === 'object' && response !== null ? response : { message: response };
  if (Array.isArray(message) && message.every((part) => typeof part === 'string')) return message.join('; ');
  return [message, error].find((words) => typeof words === 'string') ?? exception.message;
}

/** Otherwise the reason phrase: `Not Found` becomes `not_found`, which is in the registry, and `I'm a Teapot` `i_m_a_teapot`. */
function codeOf(status: number): string {
  return BY_STATUS[status] ?? (STATUS_CODES[status] ?? 'error').toLowerCase().replaceAll(/[^a-z]+/g, '_');
}
