import type { ArgumentsHost } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/*
 * For guards and parameter decorators, several of which run per request: Nest's `switchToHttp()` creates three functions
 * each time.
 */

/** The request of an execution context. */
export function requestOf(context: ArgumentsHost): FastifyRequest {
  return context.getArgByIndex<FastifyRequest>(0);
}

/** The response of an execution context. */
export function replyOf(context: ArgumentsHost): FastifyReply {
  return context.getArgByIndex<FastifyReply>(1);
}
