import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AuthenticationFailure, type BearerGuard, type Caller, isCaller, UnverifiedKey } from '../auth/index.js';
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
 * Asks the guards about every request under the versioned API before its body is read: who calls (401), what is left of the
 * quota (429), what the key may do (403). Nest asks guards on matched routes only, and after Fastify has parsed the body.
 * @param guards to be called once the application is made
 */
export function addAdmission(server: FastifyInstance, guards: () => AdmissionGuards): void {
  server.decorateRequest('caller', undefined);
  server.decorateRequest('isAdmitted', false);
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
  // The router has found the operation by now, but nothing of it has run. Fastify makes this object anew each time.
  const { access, quota } = request.routeOptions.config;
  if (isPreflight(request) || access === 'public') return throttler.showAddress(request, reply);
  const decide = (verdict: Caller | AuthenticationFailure) =>
    isCaller(verdict)
      ? andThen(
          throttler.admit(verdict, request, reply, quota),
          (refusal) => refusal ?? (access === undefined ? undefined : bearer.authorize(verdict, access)),
        )
      : andThen(throttler.admitAddress(request, reply), (refusal) => refusal ?? verdict);
  // To look for a key that probably does not exist costs more than anybody may cause for nothing.
  const decideUnverified = async (key: UnverifiedKey) =>
    (await throttler.refuseExhaustedAddress(request, reply)) ?? decide(await bearer.verify(key));

  const verdict = bearer.authenticate(request);
  if (!(verdict instanceof UnverifiedKey || verdict instanceof Promise)) return decide(verdict);
  const later = verdict instanceof UnverifiedKey ? decideUnverified(verdict) : verdict.then(decide);
  return later.catch((error: Error) => throttler.showUnavailable(request, reply, error));
}
