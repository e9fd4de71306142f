import { isIPv4, isIPv6 } from 'node:net';
import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  normalizeIp,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
} from '@nestjs/throttler';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { ACCESS, type Access, type Caller } from '../auth/index.js';
import { ApiError, type Problem } from '../errors/index.js';
import { replyOf, requestOf } from '../http/index.js';
import { AdmissionTally } from './admission.js';
import { CounterStore } from './counter-store.js';
import { CounterThrottlerStorage } from './counter-throttler-storage.js';
import { NO_LIMIT, throttlerNames } from './route-throttlers.js';
import {
  andThen,
  type Decision,
  rateLimitHeaders,
  REMAINING_HEADER,
  setRateLimitHeaders,
  shownWindow,
  tooManyRequests,
} from './windows/decision.js';
import { MINUTE_SECONDS } from './windows/usage.js';

const IPV4_MAPPED = '::ffff:';

/** Minimum limit per minute and account for operations that use no quota. */
const LEAST_FREE_PER_MINUTE = 300;

/** The response to a refused request; undefined for an admitted one. */
export type Refusal = Problem | undefined;

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

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @Inject(CounterThrottlerStorage) private readonly storage: CounterThrottlerStorage,
    reflector: Reflector,
    private readonly counters: CounterStore,
    private readonly tally: AdmissionTally,
  ) {
    super(options, storage, reflector);
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
      this.tally.add(caller.plan, decision.outcome);
      if (decision.outcome !== 'admitted') return tooManyRequests(decision);
      setRateLimitHeaders(reply, decision);
      request.caller = caller;
      request.isAdmitted = true;
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

  /**
   * Takes a request that could not be parsed from the windows of its address.
   * @returns the given error, or a 429 if the windows are exhausted, with the rate-limit headers
   */
  async charge(ip: string, unparsed: Problem): Promise<Problem> {
    const decision = await this.counters.admitAddress(rateLimitKey(ip));
    const { status, code, message, headers } = this.refuseAddress(decision) ?? unparsed;
    return { status, code, message, headers: { ...rateLimitHeaders(decision), ...headers } };
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
    this.tally.add('none', 'unavailable');
    await this.showAddress(request, reply);
    throw error;
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const isPublic = this.reflector.get<Access | undefined>(ACCESS, context.getHandler()) === 'public';
    if (!isPublic && !requestOf(context).isAdmitted) {
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

  private refuseAddress(decision: Decision): Refusal {
    const isAdmitted = decision.outcome === 'admitted';
    this.tally.add('none', isAdmitted ? 'unauthenticated' : 'address_limited');
    return isAdmitted ? undefined : tooManyRequests(decision, ' without a valid API key');
  }

  /**
   * Admits requests to operations that use no quota, also for an exhausted account or a banned key. They share a separate
   * window per account.
   */
  private async admitFree(caller: Caller, request: FastifyRequest, reply: FastifyReply): Promise<Refusal> {
    const limit = Math.max(LEAST_FREE_PER_MINUTE, caller.limits.perMinute);
    const decision = await this.counters.takeFromRoute(`free:${caller.accountId}`, limit, MINUTE_SECONDS);
    this.tally.add(caller.plan, decision.outcome);
    if (decision.outcome !== 'admitted') return tooManyRequests(decision, ' for operations that use no quota');
    const usage = await this.counters.peek(caller);
    setRateLimitHeaders(reply, shownWindow(usage));
    request.caller = caller;
    request.usage = usage;
    request.isAdmitted = true;
    return undefined;
  }
}

/**
 * The key under which a client address is counted: IPv6 by /64, which belongs to one client, and IPv4-mapped as IPv4.
 * Anything but an IP address shares one counter, so that clients cannot fill the tables with arbitrary text.
 */
export function rateLimitKey(ip: string): string {
  // How Node names the IPv4 clients of a socket for both versions; normalizeIp takes a tenth of a 401 for it.
  const unmapped = ip.startsWith(IPV4_MAPPED) ? ip.slice(IPV4_MAPPED.length) : ip;
  if (isIPv4(unmapped)) return unmapped;
  return isIPv6(ip) ? normalizeIp(ip) : 'unknown';
}
