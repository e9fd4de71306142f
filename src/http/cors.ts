import type { FastifyReply, FastifyRequest } from 'fastify';

/** Response headers that scripts of other origins may read. */
const EXPOSED =
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Link, Location, ETag, Deprecation, Sunset, X-Request-Id';
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** Whether a browser asks what it may send (Fetch standard, CORS-preflight request); such a request carries no key. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** Lets scripts of the configured origins read an answer. `*` allows any, as keys are sent explicitly, never by the browser. */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply, origins: ReadonlySet<string>): void {
  if (origins.size === 0) return;
  reply.header('vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined || !(origins.has('*') || origins.has(origin))) return;
  reply.header('access-control-allow-origin', origins.has('*') ? '*' : origin);
  if (!isPreflight(request)) {
    reply.header('access-control-expose-headers', EXPOSED);
    return;
  }
  const { 'access-control-request-method': method, 'access-control-request-headers': names } = request.headers;
  reply.header('access-control-allow-methods', method).header('access-control-max-age', PREFLIGHT_MAX_AGE_SECONDS);
  if (names !== undefined) reply.header('access-control-allow-headers', names);
}
