import type { FastifyInstance } from 'fastify';
import type { Env } from '../config/index.js';
import { allowOrigin, isPreflight } from './cors.js';
import { hostFault } from './host.js';

/** What stands on every answer, and comes before even admission. */
export function addCommonHeaders(server: FastifyInstance, env: Env): void {
  const origins = new Set(env.CORS_ORIGINS);
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id);
    reply.header('X-Content-Type-Options', 'nosniff');
    allowOrigin(request, reply, origins);
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
