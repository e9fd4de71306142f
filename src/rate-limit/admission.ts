import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type AuthenticationFailure,
  type BearerGuard,
  type Caller,
  isCaller,
  unauthorized,
  UnverifiedKey,
} from '../auth/index.js';
import { sendProblem } from '../errors/index.js';
import { isPreflight, isVersioned } from '../http/index.js';
import { andThen } from './counter-store.js';
import type { PlanThrottlerGuard, Refusal } from './plan-throttler.guard.js';

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

function admit(guards: AdmissionGuards, request: FastifyRequest, reply: FastifyReply): Refusal | Promise<Refusal> {
  const { bearer, throttler } = guards;
  if (isPreflight(request) || request.routeOptions.config.access === 'public')
    return throttler.showAddress(request, reply);
  const verdict = bearer.authenticate(request);
  if (!(verdict instanceof UnverifiedKey || verdict instanceof Promise)) return decide(guards, verdict, request, reply);
  const later =
    verdict instanceof UnverifiedKey
      ? admitUnverified(guards, verdict, request, reply)
      : verdict.then((known) => decide(guards, known, request, reply));
  return later.catch((error: Error) => throttler.showUnavailable(request, reply, error));
}

/** To look for a key that probably does not exist costs more than anybody may cause for nothing. */
async function admitUnverified(
  guards: AdmissionGuards,
  key: UnverifiedKey,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Refusal> {
  const refusal = await guards.throttler.refuseExhaustedAddress(request, reply);
  return refusal ?? decide(guards, await guards.bearer.verify(key), request, reply);
}

function decide(
  { bearer, throttler }: AdmissionGuards,
  verdict: Caller | AuthenticationFailure,
  request: FastifyRequest,
  reply: FastifyReply,
): Refusal | Promise<Refusal> {
  if (!isCaller(verdict)) {
    return andThen(throttler.admitAddress(request, reply), (refusal) => refusal ?? unauthorized(verdict));
  }
  return andThen(throttler.admit(verdict, request, reply), (refusal) => {
    const { access } = request.routeOptions.config;
    return refusal ?? (access === undefined ? undefined : bearer.authorize(verdict, access));
  });
}
