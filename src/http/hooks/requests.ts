import { type IncomingMessage, METHODS } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Env } from '../../platform/config/env.js';
import { publicPath } from '../addresses.js';
import { ApiError, CLIENT_GONE } from '../errors/api-error.js';
import { nearestPath } from '../errors/client-names.js';
import { ACCEPT_PATCH } from '../requests/bodies.js';
import { hasEmptyParam, isMisframed, isRepeated, isVersioned, pathOf } from '../requests/request.js';
import { DESCRIBED_HEADERS } from '../response-headers.js';
import type { RoutedPaths } from './routed-paths.js';

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

/**
 * Lets requests that arrive in the same turn of the event loop continue together, step by step, while the processor's caches
 * are warm. This saves a third of the processor time of a busy service. A single request does not wait.
 */
export function batchRequestsPerTick(server: FastifyInstance): void {
  let turn: Promise<void> | undefined;
  const begin = async () => {
    await nextTurn();
    turn = undefined;
  };
  // A shared promise instead of callbacks: it restores the async context of each request.
  server.addHook('onRequest', () => (turn ??= begin()));
}

/** Responds right after admission, before the body is read: an invalid body does not matter here. */
export function addEarlyResponses(server: FastifyInstance, paths: RoutedPaths): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (request.raw.socket.destroyed) return done(ApiError.of(CLIENT_GONE));
    if (isPreflight(request)) return void reply.code(204).send();
    const fault = hostFault(request.raw) ?? transferCodingFault(request.raw);
    if (fault !== undefined || (!request.is404 && !hasEmptyParam(request.params))) return done(fault);
    const methods = paths.methodsOf(request.url);
    if (methods === undefined) return done(routeNotFound(nearestTo(request, paths)));
    const { method } = request;
    const allow = [...new Set([...methods, 'OPTIONS'])].join(', ');
    const message = `This path does not support ${method}. It supports ${allow}.`;
    if (method !== 'OPTIONS') return done(new ApiError('method_not_allowed', message, { allow }));
    const headers = { allow, ...(methods.has('PATCH') && ACCEPT_PATCH) };
    void reply.code(204).headers(headers).send();
  });
}

/** The characters of uri-host with an optional port (RFC 9110, section 7.2). */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

/** The error of a missing, repeated or malformed Host header (RFC 9112, section 3.2). */
function hostFault(message: IncomingMessage): ApiError | undefined {
  const { host } = message.headers;
  const isValid = host === undefined ? message.httpVersion === '1.0' : HOST.test(host) && !isRepeated(message, 'host');
  if (isValid) return undefined;
  return new ApiError('validation_failed', 'The request must have one Host header, with the name of this service.');
}

/** RFC 9112, section 6.1: Node decodes chunked and ignores other codings. */
function transferCodingFault(message: IncomingMessage): ApiError | undefined {
  const coding = message.headers['transfer-encoding']?.toLowerCase();
  if (coding === undefined) return undefined;
  if (isMisframed(message))
    return new ApiError('validation_failed', 'An HTTP/1.0 request must not have Transfer-Encoding.');
  if (coding === 'chunked') return undefined;
  return /,[ \t]*chunked$/.test(coding)
    ? new ApiError('not_implemented', 'The only transfer coding that this service supports is chunked.')
    : new ApiError('validation_failed', 'The last transfer coding must be chunked.');
}

function nearestTo({ url }: FastifyRequest, paths: RoutedPaths): string | undefined {
  const meant = nearestPath(pathOf(url), paths.templates);
  return meant && `Did you mean ${meant}?`;
}

export function routeNotFound(advice = 'The page /docs shows all paths.'): ApiError {
  return new ApiError('route_not_found', `This path does not exist. ${advice}`);
}

/*
 * CORS by hand: with `enableCors`, each OPTIONS request is a preflight, whose response repeats any text of the client, and a
 * route `*` hides unknown paths.
 */

const EXPOSED = [...DESCRIBED_HEADERS].join(', ');
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
