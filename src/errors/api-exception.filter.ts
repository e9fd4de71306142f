import { ServerResponse } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requestFields } from '../logging/index.js';
import { IntendedError } from './api-error.js';
import { FailureLog } from './failure-log.js';
import { CLIENT_GONE, sendProblem } from './problem.js';
import { toProblem } from './to-problem.js';
import { type FindRequestFaults, ValidationFailedError } from './validation-failed.js';

/** Turns every exception, ours, Nest's or Fastify's, into a response. */
@Catch()
export class ApiExceptionFilter implements ExceptionFilter, OnApplicationShutdown {
  private readonly failures = new FailureLog();
  private readonly logger = new Logger('Requests');

  constructor(private readonly findFaults: FindRequestFaults) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply | ServerResponse>();
    // Middleware runs before Fastify's handler: its errors go to Fastify, which calls this filter again with its reply.
    if (reply instanceof ServerResponse) return http.getNext<(error: unknown) => void>()(exception);
    // A refusal of a request names all its faults.
    const isInvalid = exception instanceof ValidationFailedError;
    const named = isInvalid ? new ValidationFailedError(this.findFaults(request, exception)) : exception;
    const answer = isAborted(request, exception) ? CLIENT_GONE : toProblem(named);
    // 501 is not a failure of the service.
    const isFailure = answer.status >= 500 && answer.status !== 501;
    if (isFailure && !(exception instanceof IntendedError)) {
      const { status, code } = answer;
      // An unavailable server is not a fault in the code, so a stack would not help.
      const error = describe(exception, code === 'service_unavailable' ? 'message' : 'stack');
      this.failures.add({ ...requestFields(request), status, code, error });
    }
    // Fastify reports no response to a client that is gone.
    if (answer.status === CLIENT_GONE.status)
      this.logger.debug({ message: 'request', ...requestFields(request), status: answer.status });
    // A response that is partly sent can no longer become an Error.
    if (reply.sent || reply.raw.headersSent) reply.raw.destroy();
    else sendProblem(reply, answer);
  }

  onApplicationShutdown(): void {
    this.failures.flush();
  }
}

/** Whether reading the body failed because the client closed the connection. */
function isAborted({ raw }: FastifyRequest, exception: unknown): boolean {
  const { code }: { code?: unknown } = Object(exception);
  return raw.destroyed && code === 'ECONNRESET';
}

function describe(exception: unknown, detail: 'message' | 'stack'): string {
  if (!(exception instanceof Error)) return String(exception);
  const own = exception[detail] ?? exception.message;
  return exception.cause === undefined ? own : `${own}\nbecause of ${describe(exception.cause, detail)}`;
}
