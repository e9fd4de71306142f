import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/index.js';

/** Remembers which methods each path has, from now on. */
export function collectMethods(server: FastifyInstance): Map<string, Set<string>> {
  const methodsByPath = new Map<string, Set<string>>();
  server.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPath.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    methodsByPath.set(url, methods);
  });
  return methodsByPath;
}

/** Gives every path a route for each method it lacks: OPTIONS is answered, any other is 405, both with Allow. */
export function answerOtherMethods(server: FastifyInstance, methodsByPath: ReadonlyMap<string, ReadonlySet<string>>): void {
  // The routes added here are collected too, so the paths are those from before.
  for (const [url, methods] of new Map(methodsByPath)) {
    const allow = [...new Set([...methods, 'OPTIONS'])].join(', ');
    const others = server.supportedMethods.filter((method) => !methods.has(method) && method !== 'OPTIONS');
    if (!methods.has('OPTIONS')) {
      server.options(url, ({ params }, reply) =>
        isAnotherPath(params) ? reply.callNotFound() : reply.code(204).header('allow', allow).send(),
      );
    }
    server.route({
      url,
      method: others,
      handler: ({ method, params }, reply) => {
        if (isAnotherPath(params)) return reply.callNotFound();
        throw new ApiError('method_not_allowed', `${method} is not a method of this path; it has ${allow}.`, { allow });
      },
    });
  }
}

/** The router matches `/pets/` with `/pets/:petId` and an empty parameter, but a trailing slash makes another path. */
function isAnotherPath(params: unknown): boolean {
  return Object.values(params as Record<string, string>).includes('');
}
