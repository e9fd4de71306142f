import type { ArgumentsHost } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/*
 * For guards and parameters, of which a request meets several: Nest's `switchToHttp()` makes three functions each time
 * and gives the context another shape.
 */

/** The request that Nest calls a guard or the factory of a parameter for. */
export function requestOf(context: ArgumentsHost): FastifyRequest {
  return context.getArgByIndex<FastifyRequest>(0);
}

/** The answer to it. */
export function replyOf(context: ArgumentsHost): FastifyReply {
  return context.getArgByIndex<FastifyReply>(1);
}
