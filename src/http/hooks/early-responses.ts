import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors/index.js';
import { transferCodingFault } from '../requests/body.js';
import { hostFault } from '../requests/headers.js';
import { isPreflight } from './cors.js';

export function routeNotFound(): ApiError {
  return new ApiError('route_not_found', 'This path does not exist.');
}

/** Responses right after admission, before the body is read. */
export function addEarlyResponses(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (isPreflight(request)) reply.code(204).send();
    else
      done(hostFault(request.raw) ?? transferCodingFault(request.raw) ?? (request.is404 ? routeNotFound() : undefined));
  });
}
