import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type BearerGuard, isCaller, UnverifiedKey, type Verdict } from '../auth/index.js';
import { sendProblem } from '../errors/index.js';
import { isPreflight, isVersioned } from '../http/index.js';
import type { PlanThrottlerGuard, Refusal } from './plan-throttler.guard.js';
import { andThen } from './windows/decision.js';

/** The guards that admit requests. */
export interface AdmissionGuards {
  readonly bearer: BearerGuard;
  readonly throttler: PlanThrottlerGuard;
}

/**
 * Calls the guards for every request under the versioned API before its body is read: for authentication (401), quota (429)
 * and scope (403). Nest calls guards only for matched routes, and after Fastify has parsed the body.
 * @param guards called after the application is created
 */
export function addAdmission(server: FastifyInstance, guards: () => AdmissionGuards): void {
  server.decorateRequest('caller', undefined);
  server.addHook('onRequest', (request, reply, done) => {
    if (!isVersioned(request.url)) return done();
    const respond = (refusal: Refusal) => {
      if (refusal === undefined) done();
      else sendProblem(reply, refusal);
    };
    const refusal = admit(guards(), request, reply);
    if (refusal instanceof Promise) refusal.then(respond).catch(done);
    else respond(refusal);
  });
}

function admit(
  { bearer, throttler }: AdmissionGuards,
  request: FastifyRequest,
  reply: FastifyReply,
): Refusal | Promise<Refusal> {
  // The router has matched the route, but nothing of it has run. Fastify creates this object on each access.
  const { access, quota } = request.routeOptions.config;
  if (isPreflight(request) || access === 'public') return throttler.showAddress(request, reply);
  const decide = (verdict: Verdict) =>
    isCaller(verdict)
      ? andThen(throttler.admit(verdict, request, reply, quota), (refusal) => {
          if (refusal !== undefined) return refusal;
          request.caller = verdict;
          return access === undefined ? undefined : bearer.authorize(verdict, access);
        })
      : andThen(throttler.admitAddress(request, reply), (refusal) => refusal ?? verdict);
  // Queries for keys that do not exist, or for very many keys, need quota of the address.
  const decideUnverified = async (key: UnverifiedKey) =>
    (await throttler.refuseExhaustedAddress(request, reply)) ?? decide(await bearer.verify(key));

  const verdict = bearer.authenticate(request);
  if (!(verdict instanceof UnverifiedKey || verdict instanceof Promise)) return decide(verdict);
  const later = verdict instanceof UnverifiedKey ? decideUnverified(verdict) : verdict.then(decide);
  return later.catch((error: Error) => throttler.showUnavailable(request, reply, error));
}
