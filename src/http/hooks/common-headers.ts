import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Env } from '../../platform/config/env.js';
import { publicPath } from '../addresses.js';
import { isVersioned } from '../requests/request.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** When its headers were received, on the clock of `performance.now()`. */
    receivedAtMs: number;
  }
}

/** Headers of every response; added before admission. */
export function addCommonHeaders(server: FastifyInstance, env: Env): void {
  const origins = new Set(env.CORS_ORIGINS);
  server.decorate('errorPage', publicPath(env, '/docs/errors'));
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

/*
 * Written by hand, because `enableCors` (@fastify/cors) breaks three rules: an OPTIONS request is a preflight only if it has
 * the preflight headers; a preflight response never repeats arbitrary text of the client; no `*` route hides unknown paths.
 */

const EXPOSED =
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Link, Location, ETag, Deprecation, Sunset, Preference-Applied, Idempotent-Replayed, RateLimit, RateLimit-Policy, X-Request-Id';
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** Whether a request is a CORS-preflight request (Fetch standard), which carries no key. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** Lets scripts of these origins read a response. `*` is safe: scripts send keys explicitly, browsers never do. */
function allowOrigin(request: FastifyRequest, reply: FastifyReply, origins: ReadonlySet<string>): void {
  reply.header('vary', 'Origin');
  const { origin = '' } = request.headers;
  const allowed = origins.has('*') ? '*' : origin;
  if (origin === '' || !origins.has(allowed)) return;
  reply.header('access-control-allow-origin', allowed);
  if (!isPreflight(request)) return void reply.header('access-control-expose-headers', EXPOSED);
  const { 'access-control-request-method': method = '', 'access-control-request-headers': names } = request.headers;
  reply.header('access-control-max-age', PREFLIGHT_MAX_AGE_SECONDS);
  // Only lower-case names, as browsers send them, are repeated, so that a misplaced API key is not.
  if (METHODS.includes(method)) reply.header('access-control-allow-methods', method);
  if (names !== undefined && names === names.toLowerCase()) reply.header('access-control-allow-headers', names);
}
