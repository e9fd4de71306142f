import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.js';
import { ACCEPT_PATCH } from '../requests/message.js';

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
      const headers = { allow, ...(methods.has('PATCH') && ACCEPT_PATCH) };
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
