import type { FastifyInstance } from 'fastify';
import { validationFailed } from '../errors/problem.js';
import type { IdempotencyService } from './idempotency.service.js';
import { idempotentRequest } from './idempotent-request.js';

const REFUSED = 'Idempotency-Key must not be sent to this operation: its response has a secret, which is not stored';

/**
 * Lets routes that are added from now on accept or refuse an Idempotency-Key, as their decorators say. It wraps the whole
 * handler of Nest, so that no interceptor, filter or serializer of an application runs outside of it. A repeated request is
 * admitted, and counted, like any other, but the guards of extensions do not run again.
 */
export function addIdempotency(server: FastifyInstance, service: IdempotencyService): void {
  server.decorateRequest('commitWith', undefined);
  server.addHook('onRoute', (route) => {
    const { handler, config: { idempotency } = {} } = route;
    if (idempotency === undefined) return;
    route.handler = (request, reply) => {
      const run = () => handler.call(server, request, reply) as unknown;
      const { principal, headers } = request;
      if (headers['idempotency-key'] === undefined || principal === undefined) return run();
      if (idempotency === 'refused') throw validationFailed([REFUSED]);
      const fail = (error: unknown) => void reply.send(error);
      const handle = () => void Promise.resolve(run()).catch(fail);
      // Without a promise to Fastify, which would send what it resolves to.
      service.process(request, reply, idempotentRequest(request, principal.accountId), handle).catch(fail);
      return undefined;
    };
  });
  // Before other hooks, which add headers of the connection.
  server.addHook('onSend', (request, _reply, payload, done) => {
    const { commitWith } = request;
    if (commitWith === undefined) return done(null, payload);
    request.commitWith = undefined;
    commitWith(payload).then(() => done(null, payload), done);
  });
}
