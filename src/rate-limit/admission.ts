import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type BearerGuard, callerIn, isCaller } from '../auth/bearer.guard.js';
import type { Caller } from '../auth/caller.js';
import { INVALID } from '../auth/unauthorized.js';
import { runFor } from '../database/events/actor.js';
import { noteRequest } from '../platform/recurring-task.js';
import { currentTraceId, inSpan } from '../platform/tracing/spans.js';
import { sendProblem } from '../http/errors/api-error.js';
import type { Problem } from '../platform/errors/error-codes.js';
import { isPreflight } from '../http/hooks/requests.js';
import { isVersioned } from '../http/requests/request.js';
import type { PlanThrottlerGuard } from './plan-throttler.guard.js';

type AdmissionGuards = { readonly bearer: BearerGuard; readonly throttler: PlanThrottlerGuard };

/**
 * Calls the guards for every request under the versioned API before its body is read: for authentication (401, or 403 of a
 * suspended account), quota (429) and scope (403). Nest calls guards only for matched routes, and after Fastify has parsed the
 * body. Events of the handler then have the key as actor.
 */
export class Admission {
  /** Those of the application, which is created after its hooks. No request is admitted without them. */
  guards: AdmissionGuards | undefined;

  constructor(server: FastifyInstance) {
    server.decorateRequest('principal', undefined);
    server.decorateRequest('caller', undefined);
    server.decorateRequest('admittedTo', undefined);
    server.addHook('onRequest', (request, reply, done) => {
      const { guards } = this;
      if (!isVersioned(request.url)) return done();
      noteRequest();
      if (guards === undefined) return done(new Error('The application is not created.'));
      const admitting = inSpan('admission', {}, () => admit(guards, request, reply)).catch(async (error: Error) => {
        await guards.throttler.showAddress(request, reply, 'unavailable');
        throw error;
      });
      // A refused request goes no further, however long the hooks of its response take.
      void admitting.then((problem) => (problem === undefined ? done() : sendProblem(reply, problem)), done);
    });
    server.addHook('preHandler', ({ principal, id: requestId }, _reply, done) => {
      const { keyId: actor, accountId } = principal ?? {};
      runFor({ actor, accountId, requestId, traceId: currentTraceId() }, done);
    });
  }
}

async function admit(
  { bearer, throttler }: AdmissionGuards,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Problem | undefined> {
  // The router has matched the route, but nothing of it has run. Fastify creates this object on each access.
  const { access, quota } = request.routeOptions.config;
  if (isPreflight(request) || access === 'public') {
    await throttler.showAddress(request, reply);
    return undefined;
  }
  let authentication = await bearer.authenticate(request);
  if (authentication === undefined) {
    // Further queries for keys need quota of the address.
    const refusal = await throttler.refuseExhaustedAddress(request, reply);
    if (refusal !== undefined) return refusal;
    authentication = (await bearer.authenticate(request, true)) ?? INVALID;
  }
  const count = (caller?: Caller) =>
    caller === undefined ? throttler.admitAddress(request, reply) : throttler.admit(caller, reply, quota);
  let caller = callerIn(authentication);
  let refusal = await count(caller);
  // Counting in Redis has read the version of keys too. An address without quota gets no further query for a key.
  if (!bearer.isCurrent && (caller !== undefined || refusal === undefined)) {
    const earlier = caller;
    authentication = (await bearer.authenticate(request, true)) ?? INVALID;
    caller = callerIn(authentication);
    if ((caller === undefined) !== (earlier === undefined)) refusal = await count(caller);
  }
  request.principal = caller;
  // The log and the metrics have its key and its operation. The usage history has counted it.
  if (refusal !== undefined) return refusal;
  if (isCaller(authentication)) return bearer.authorize(request, authentication, access);
  // The 403 of a suspended account uses quota like any 403, and is logged and counted with its key.
  request.caller = caller;
  return authentication;
}
