import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { ApiError, CLIENT_GONE } from '../../errors/index.js';
import { hostFault, transferCodingFault } from '../requests/message.js';
import { isPreflight } from './common-headers.js';

function routeNotFound(): ApiError {
  return new ApiError('route_not_found', 'This path does not exist.');
}

/** Responses right after admission, before the body is read. */
export function addEarlyResponses(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (request.raw.socket.destroyed) done(ApiError.of(CLIENT_GONE));
    else if (isPreflight(request)) reply.code(204).send();
    else
      done(hostFault(request.raw) ?? transferCodingFault(request.raw) ?? (request.is404 ? routeNotFound() : undefined));
  });
}

/**
 * Makes routes that are added from now on return 404 if a parameter is empty: the router matches `/pets/` with
 * `/pets/:petId`, but a trailing slash is another path. Call it after everything else that adds hooks to routes, so that
 * those hooks do not run for the empty parameter.
 */
export function ignoreEmptyParams(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    if (route.url.includes(':')) route.onRequest = [ignoreEmpty, ...[route.onRequest ?? []].flat()];
  });
}

const ignoreEmpty: onRequestHookHandler = ({ params }, _reply, done) => {
  done(Object.values(params as Record<string, string>).includes('') ? routeNotFound() : undefined);
};
