import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
} from '@nestjs/throttler';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Registry } from 'prom-client';
import { ACCESS, type Access, type Caller } from '../auth/index.js';
import { ApiError, type Problem } from '../errors/index.js';
import { replyOf, requestOf } from '../http/index.js';
import { CounterStore, rateLimitKey } from './counter-store.js';
import { CounterThrottlerStorage } from './counter-throttler-storage.js';
import { NO_LIMIT, throttlerNames } from './route-throttlers.js';
import {
  andThen,
  type Decision,
  REMAINING_HEADER,
  setRateLimitHeaders,
  shownWindow,
  tooManyRequests,
} from './windows/decision.js';
import { MINUTE_SECONDS } from './windows/usage.js';

/** Minimum limit per minute and account for operations that use no quota. */
const LEAST_FREE_PER_MINUTE = 300;

/** The response to a refused request; undefined for an admitted one. */
export type Refusal = Problem | undefined;

type AdmissionOutcome = 'admitted' | 'limited' | 'banned' | 'unauthenticated' | 'address_limited' | 'unavailable';

/**
 * Limits the requests of an account by its plan, and requests without a valid key by the client's address. Admission calls
 * it before the body is read. As a global guard it refuses requests that were not admitted, and applies `@Throttle()` and
 * `@SkipThrottle()`.
 *
 * Windows are fixed and whole seconds long. Several named limits of a route are checked in turn, up to the first one that
 * refuses. The response shows the window with the fewest requests left.
 */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard {
  /** Whether a controller or a handler has `@Throttle()`. Reading the metadata takes as long as the rest of a request. */
  private readonly throttled = new WeakMap<Function, boolean>();
  private readonly decisions;

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @Inject(CounterThrottlerStorage) private readonly storage: CounterThrottlerStorage,
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
  admit(
    caller: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
    quota: FastifyContextConfig['quota'],
  ): Refusal | Promise<Refusal> {
    if (quota === 'none') return this.admitFree(caller, request, reply);
    return andThen(this.counters.admit(caller), (decision) => {
      this.count(caller.plan, decision.outcome);
      if (decision.outcome !== 'admitted') return tooManyRequests(decision);
      setRateLimitHeaders(reply, decision);
      return undefined;
    });
  }

  /** Takes a request without a valid key from the windows of its address, and sets the rate-limit headers. */
  admitAddress(request: FastifyRequest, reply: FastifyReply): Refusal | Promise<Refusal> {
    return andThen(this.counters.admitAddress(rateLimitKey(request.ip)), (decision) => {
      setRateLimitHeaders(reply, decision);
      return this.refuseAddress(decision);
    });
  }

  /** Refuses a request that `admitAddress` would refuse, without counting it. */
  async refuseExhaustedAddress(request: FastifyRequest, reply: FastifyReply): Promise<Refusal> {
    const decision = await this.counters.peekAddress(rateLimitKey(request.ip));
    if (decision.outcome === 'admitted') return undefined;
    setRateLimitHeaders(reply, decision);
    return this.refuseAddress(decision);
  }

  /** Sets the rate-limit headers of the address, for a request that is not counted. */
  showAddress(request: FastifyRequest, reply: FastifyReply): undefined | Promise<undefined> {
    return andThen(this.counters.peekAddress(rateLimitKey(request.ip)), (decision) => {
      setRateLimitHeaders(reply, decision);
      return undefined;
    });
  }

  /**
   * Sets the rate-limit headers of the address if the key could not be looked up.
   * @throws (rejects) `error`
   */
  async showUnavailable(request: FastifyRequest, reply: FastifyReply, error: Error): Promise<never> {
    this.count('none', 'unavailable');
    await this.showAddress(request, reply);
    throw error;
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const isPublic = this.reflector.get<Access | undefined>(ACCESS, context.getHandler()) === 'public';
    if (!isPublic && requestOf(context).caller === undefined) {
      throw new ApiError('internal_error', 'This request was not admitted.');
    }
    const isThrottled = this.isThrottled(context.getHandler()) || this.isThrottled(context.getClass());
    return !isThrottled || super.canActivate(context);
  }

  protected override async handleRequest(throttled: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, throttler, getTracker, generateKey } = throttled;
    if (limit === NO_LIMIT) return true;
    const key = generateKey(context, await getTracker(requestOf(context), context), throttler.name ?? 'default');
    const { decision } = await this.storage.increment(key, ttl, limit);
    if (decision.outcome !== 'admitted') throw ApiError.of(tooManyRequests(decision, ' for this operation'));
    const reply = replyOf(context);
    const shown = reply.getHeader(REMAINING_HEADER);
    if (shown === undefined || decision.remaining < Number(shown)) setRateLimitHeaders(reply, decision);
    return true;
  }

  /** The account, whose keys share the limit. On public routes, the client's address. */
  protected override async getTracker(request: FastifyRequest): Promise<string> {
    return request.caller === undefined ? rateLimitKey(request.ip) : String(request.caller.accountId);
  }

  private isThrottled(target: Function): boolean {
    let isThrottled = this.throttled.get(target);
    if (isThrottled === undefined) {
      isThrottled = throttlerNames(target).length > 0;
      this.throttled.set(target, isThrottled);
    }
    return isThrottled;
  }

  /** @param plan of the caller, or `none` */
  private count(plan: string, outcome: AdmissionOutcome): void {
    this.decisions.inc({ plan, outcome });
  }

  private refuseAddress(decision: Decision): Refusal {
    const isAdmitted = decision.outcome === 'admitted';
    this.count('none', isAdmitted ? 'unauthenticated' : 'address_limited');
    return isAdmitted ? undefined : tooManyRequests(decision, ' without a valid API key');
  }

  /**
   * Admits requests to operations that use no quota, also for an exhausted account or a banned key. They share a separate
   * window per account.
   */
  private async admitFree(caller: Caller, request: FastifyRequest, reply: FastifyReply): Promise<Refusal> {
    const limit = Math.max(LEAST_FREE_PER_MINUTE, caller.limits.perMinute);
    const decision = await this.counters.takeFromRoute(`free:${caller.accountId}`, limit, MINUTE_SECONDS);
    this.count(caller.plan, decision.outcome);
    if (decision.outcome !== 'admitted') return tooManyRequests(decision, ' for operations that use no quota');
    const usage = await this.counters.peek(caller);
    setRateLimitHeaders(reply, shownWindow(usage));
    request.usage = usage;
    return undefined;
  }
}
