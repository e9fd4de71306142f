import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, CLIENT_GONE } from '../errors/problem.js';
import { acceptedTypes, hostFault, transferCodingFault } from '../requests/message.js';
import { pathOf } from '../requests/request.js';
import { isPreflight } from './common-headers.js';
import { nearestPath } from './nearest-path.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The path exists, but has no operation with this method. */
    readonly isMethodUnknown?: true;
  }
}

/** Responses right after admission, before the body is read. @param paths of all routes, once there are requests */
export function addEarlyResponses(server: FastifyInstance, paths: ReadonlyMap<string, unknown>): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (request.raw.socket.destroyed) done(ApiError.of(CLIENT_GONE));
    else if (isPreflight(request)) reply.code(204).send();
    else done(hostFault(request.raw) ?? transferCodingFault(request.raw) ?? pathFault(request, paths));
  });
}

function pathFault({ is404, params, url }: FastifyRequest, paths: ReadonlyMap<string, unknown>): ApiError | undefined {
  if (!is404 && !hasEmptyParam(params as Record<string, string>)) return undefined;
  const meant = nearestPath(pathOf(url), paths.keys());
  return routeNotFound(meant && `Did you mean ${meant}?`);
}

export function routeNotFound(advice = 'The page /docs shows all paths.'): ApiError {
  return new ApiError('route_not_found', `This path does not exist. ${advice}`);
}

/** The router matches `/pets/` with `/pets/:petId`, but a trailing slash is another path. A wildcard may be empty. */
function hasEmptyParam(params: Readonly<Record<string, string>>): boolean {
  return Object.entries(params).some(([name, value]) => value === '' && name !== '*');
}

export function collectMethods(server: FastifyInstance): Map<string, Set<string>> {
  const methodsByPath = new Map<string, Set<string>>();
  server.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPath.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    methodsByPath.set(url, methods);
  });
  return methodsByPath;
}

/** Adds a route for each missing method of every path: OPTIONS is 204, any other is 405, both with Allow. */
export function respondToOtherMethods(
  server: FastifyInstance,
  methodsByPath: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  // The routes added here are collected too, so copy the paths first.
  for (const [url, methods] of new Map(methodsByPath)) {
    const allow = [...new Set([...methods, 'OPTIONS'])].join(', ');
    const others = server.supportedMethods.filter((method) => !methods.has(method) && method !== 'OPTIONS');
    if (!methods.has('OPTIONS')) {
      const headers = { allow, ...(methods.has('PATCH') && acceptedTypes('PATCH')) };
      server.options(url, { config: { isMethodUnknown: true } }, (_request, reply) =>
        reply.code(204).headers(headers).send(),
      );
    }
    server.route({
      url,
      method: others,
      config: { isMethodUnknown: true },
      // Before the body is read, because an invalid body does not matter here.
      onRequest: ({ method }, _reply, done) => {
        const message = `This path does not support ${method}. It supports ${allow}.`;
        done(new ApiError('method_not_allowed', message, { allow }));
      },
      handler: (_request, reply) => reply.callNotFound(),
    });
  }
}
