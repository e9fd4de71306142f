import { STATUS_CODES } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './api-error.js';
import { type Problem, problem, sendProblem } from './problem.js';

/** The one exit of every exception, whoever threw it: ours, Nest's or Fastify's. */
@Catch()
export class ApiExceptionFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const answer = toProblem(exception);
    if (answer.status >= 500) {
      this.logger.error({ message: 'request failed', requestId: request.id, code: answer.code, error: describe(exception) });
    }
    // A body that broke off half-way can't be turned into an Error any more.
    if (reply.sent || reply.raw.headersSent) reply.raw.destroy();
    else sendProblem(reply, answer);
  }
}

function toProblem(exception: unknown): Problem {
  if (exception instanceof ApiError) return exception;
  if (exception instanceof HttpException) {
    const status = exception.getStatus();
    return { status, code: statusCodeName(status), message: exception.message };
  }
  return problem('internal_error', 'The service failed to answer this request.');
}

/** `Payload Too Large` becomes `payload_too_large`: frameworks know statuses only. */
function statusCodeName(status: number): string {
  return (STATUS_CODES[status] ?? 'error').toLowerCase().replaceAll(/[^a-z]+/g, '_');
}

function describe(exception: unknown): string {
  if (!(exception instanceof Error)) return String(exception);
  const own = exception.stack ?? exception.message;
  return exception.cause === undefined ? own : `${own}\nbecause of ${describe(exception.cause)}`;
}
