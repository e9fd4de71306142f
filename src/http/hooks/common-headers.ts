import type { FastifyInstance } from 'fastify';
import type { Env } from '../../config/index.js';
import { isVersioned } from '../requests/request-target.js';
import { allowOrigin } from './cors.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** When its headers were received, on the clock of `performance.now()`. */
    receivedAtMs: number;
  }
}

/** Headers of every response; added before admission. */
export function addCommonHeaders(server: FastifyInstance, { CORS_ORIGINS }: Env): void {
  const origins = new Set(CORS_ORIGINS);
  const vary = origins.size === 0 ? 'Authorization' : 'Authorization, Origin';
  server.decorateRequest('receivedAtMs', 0);
  server.addHook('onRequest', (request, reply, done) => {
    request.receivedAtMs = performance.now();
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    if (origins.size > 0) allowOrigin(request, reply, origins);
    // Responses belong to one key: shared caches must not store them, private caches must revalidate.
    if (isVersioned(request.url)) reply.header('cache-control', 'private, no-cache').header('vary', vary);
    done();
  });
}
