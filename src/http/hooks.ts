import type { FastifyInstance } from 'fastify';
import type { Env } from '../config/index.js';
import { allowOrigin, isPreflight } from './cors.js';
import { hostFault } from './host.js';
import { isVersioned } from './request-target.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** When its headers had come in, on the clock of `performance.now()`. */
    receivedAtMs: number;
  }
}

/** What stands on every answer, and comes before even admission. */
export function addCommonHeaders(server: FastifyInstance, env: Env): void {
  const origins = new Set(env.CORS_ORIGINS);
  const vary = origins.size === 0 ? 'Authorization' : 'Authorization, Origin';
  server.decorateRequest('receivedAtMs', 0);
  server.addHook('onRequest', (request, reply, done) => {
    request.receivedAtMs = performance.now();
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    allowOrigin(request, reply, origins);
    // What one key gets is not for another: shared caches keep nothing, and private ones ask each time.
    if (isVersioned(request.url)) reply.header('cache-control', 'private, no-cache').header('vary', vary);
    done();
  });
}

/** What is answered right after admission, before routing. */
export function addEarlyAnswers(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (isPreflight(request)) reply.code(204).send();
    else done(hostFault(request.raw));
  });
}
