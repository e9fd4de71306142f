import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  ThrottlerModule,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Registry } from 'prom-client';
import { ACCESS, type Access, type Caller } from '../auth/index.js';
import { ApiError, type Problem, replyOf, requestOf } from '../http/index.js';
import { CounterStore, rateLimitKey } from './counter-store.js';
import { type Decision, rateLimitHeaders, REMAINING_HEADER, shownWindow, tooManyRequests } from './windows/decision.js';
import { MINUTE_SECONDS } from './windows/usage.js';

/** The limit of a route without `@Throttle()`. */
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** The throttler of routes with `@Throttle({ default: ... })`. */
export const ROUTE_THROTTLER = ThrottlerModule.forRoot([{ name: 'default', limit: NO_LIMIT, ttl: 0 }]);

/** Key of the metadata of `@Throttle()`, followed by the name of the throttler. The package does not export it. */
const LIMIT_METADATA = 'THROTTLER:LIMIT';

/** Minimum limit per minute and account for operations that use no quota. */
const LEAST_WITHOUT_QUOTA_PER_MINUTE = 300;

/**
 * Limits the requests of an account by its plan, and requests without a valid key by the client's address. Admission calls
 * it before the body is read. As a global guard it refuses requests that were not admitted, and applies
 * `@Throttle({ default: { limit, ttl } })` and `@SkipThrottle()` of a route.
 *
 * Windows are fixed and whole seconds long. The response shows the window with the fewest requests left.
 */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard {
  /** Whether a controller or a handler has `@Throttle()`. Reading the metadata takes as long as the rest of a request. */
  private readonly throttled = new WeakMap<Function, boolean>();
  private readonly decisions;

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    // The base class needs it; this guard counts in the counter store.
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly counters: CounterStore,
    registry: Registry,
  ) {
    super(options, storage, reflector);
    this.decisions = new Counter({
      name: 'petstore_admissions_total',
      help: 'Admission decisions by outcome and plan.',
      labelNames: ['outcome', 'plan'],
      registers: [registry],
    });
  }

  /**
   * Takes a request from the windows of the caller's account, and sets the rate-limit headers.
   * @param quota of the route
   * @returns the 429 of a refused request
   */
  async admit(
    caller: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
    quota: FastifyContextConfig['quota'],
  ): Promise<Problem | undefined> {
    if (quota === 'none') return this.admitWithoutQuota(caller, request, reply);
    const decision = await this.counters.admit(caller);
    this.decisions.inc({ plan: caller.plan, outcome: decision.outcome });
    if (decision.outcome !== 'admitted') return tooManyRequests(decision);
    reply.headers(rateLimitHeaders(decision));
    return undefined;
  }

  /**
   * Takes a request without a valid key from the windows of its address, and sets the rate-limit headers.
   * @returns the 429 of a refused request
   */
  async admitAddress(request: FastifyRequest, reply: FastifyReply): Promise<Problem | undefined> {
    const decision = await this.counters.admitAddress(rateLimitKey(request.ip));
    const isAdmitted = decision.outcome === 'admitted';
    this.decisions.inc({ plan: 'none', outcome: isAdmitted ? 'unauthenticated' : 'address_limited' });
    if (!isAdmitted) return tooManyAnonymousRequests(decision);
    reply.headers(rateLimitHeaders(decision));
    return undefined;
  }

  /** The 429 of a request that `admitAddress` would refuse. Takes nothing from the windows. */
  async refuseExhaustedAddress(request: FastifyRequest): Promise<Problem | undefined> {
    const decision = await this.counters.peekAddress(rateLimitKey(request.ip));
    if (decision.outcome === 'admitted') return undefined;
    this.decisions.inc({ plan: 'none', outcome: 'address_limited' });
    return tooManyAnonymousRequests(decision);
  }

  /** Sets the rate-limit headers of the address, for a request that is not counted. */
  async showAddress(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.headers(rateLimitHeaders(await this.counters.peekAddress(rateLimitKey(request.ip))));
  }

  /** Sets the rate-limit headers of the address if the key could not be looked up. */
  async showUnavailable(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    this.decisions.inc({ plan: 'none', outcome: 'unavailable' });
    await this.showAddress(request, reply);
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const isAnonymous = requestOf(context).caller === undefined;
    if (isAnonymous && this.reflector.get<Access | undefined>(ACCESS, context.getHandler()) !== 'public') {
      throw new ApiError('internal_error', 'This request was not admitted.');
    }
    const isThrottled = this.isThrottled(context.getHandler()) || this.isThrottled(context.getClass());
    return !isThrottled || super.canActivate(context);
  }

  protected override async handleRequest(throttled: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, blockDuration, getTracker, generateKey } = throttled;
    if (limit === NO_LIMIT || ttl === 0 || blockDuration !== ttl) throw unenforceable(context.getClass());
    const key = generateKey(context, await getTracker(requestOf(context), context), 'default');
    const decision = await this.counters.takeFromRoute(key, limit, Math.ceil(ttl / 1000));
    if (decision.outcome !== 'admitted') throw ApiError.of(tooManyRequests(decision, ' for this operation'));
    const reply = replyOf(context);
    const shown = reply.getHeader(REMAINING_HEADER);
    if (shown === undefined || decision.remaining < Number(shown)) reply.headers(rateLimitHeaders(decision));
    return true;
  }

  /** The account, whose keys share the limit. On public routes, the client's address. */
  protected override async getTracker(request: FastifyRequest): Promise<string> {
    return request.caller === undefined ? rateLimitKey(request.ip) : String(request.caller.accountId);
  }

  private isThrottled(target: Function): boolean {
    let isThrottled = this.throttled.get(target);
    if (isThrottled === undefined) {
      const keys: readonly unknown[] = Reflect.getMetadataKeys(target);
      const limits = keys.filter((key) => typeof key === 'string' && key.startsWith(LIMIT_METADATA));
      if (limits.some((key) => key !== `${LIMIT_METADATA}default`)) throw unenforceable(target);
      isThrottled = limits.length > 0;
      this.throttled.set(target, isThrottled);
    }
    return isThrottled;
  }

  /**
   * Admits requests to operations that use no quota, also for an exhausted account or a banned key. They share a separate
   * window per account.
   */
  private async admitWithoutQuota(
    caller: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Problem | undefined> {
    const limit = Math.max(LEAST_WITHOUT_QUOTA_PER_MINUTE, caller.limits.perMinute);
    const decision = await this.counters.takeFromRoute(`without-quota:${caller.accountId}`, limit, MINUTE_SECONDS);
    this.decisions.inc({ plan: caller.plan, outcome: decision.outcome });
    if (decision.outcome !== 'admitted') return tooManyRequests(decision, ' for operations that use no quota');
    const usage = await this.counters.peek(caller);
    reply.headers(rateLimitHeaders(shownWindow(usage)));
    request.usage = usage;
    return undefined;
  }
}

function tooManyAnonymousRequests(decision: Decision): Problem {
  return tooManyRequests(decision, ' without a valid API key');
}

/** The service refuses every request rather than ignore a limit. */
function unenforceable({ name }: Function): Error {
  return new Error(`@Throttle() of ${name} must be { default: { limit, ttl } }, without other names and options.`);
}
