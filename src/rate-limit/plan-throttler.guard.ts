import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard, ThrottlerModule, type ThrottlerRequest } from '@nestjs/throttler';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { Env } from '../platform/config/env.js';
import type { Caller } from '../auth/caller.js';
import { addToListHeader } from '../http/addresses.js';
import { ApiError } from '../http/errors/api-error.js';
import type { Problem } from '../platform/errors/error-codes.js';
import { replyOf, requestOf } from '../http/requests/request.js';
import { AdmissionObserver } from './admission-observer.js';
import { CounterStore, rateLimitKey } from './counter-store.js';
import { KeyNetworks } from './history/key-networks.js';
import { UsageRecorder } from './history/usage-history.js';
import { rateLimitFields, rateLimitHeaders, REMAINING_HEADER, tooManyRequests } from './rate-limit-headers.js';
import { type Decision, decideOn } from './windows/decision.js';
import { MINUTE_SECONDS } from './windows/usage.js';

const NO_LIMIT = Number.POSITIVE_INFINITY;

export const ROUTE_THROTTLER = ThrottlerModule.forRoot([{ name: 'default', limit: NO_LIMIT, ttl: 0 }]);

/** Key of the metadata of `@Throttle()`, followed by the name of the throttler. The package does not export it. */
const LIMIT_METADATA = 'THROTTLER:LIMIT';

const LEAST_WITHOUT_QUOTA_PER_MINUTE = 300;

/**
 * Limits the requests of an account by its plan, and requests without a valid key by the client's address. Admission calls
 * it before the body is read. As a global guard it applies `@Throttle({ default: { limit, ttl } })` and
 * `@SkipThrottle()` of a route. The response shows the window with the fewest requests left.
 */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard {
  /** Whether a controller or a handler has `@Throttle()`. Reading the metadata takes as long as the rest of a request. */
  private readonly throttled = new WeakMap<Function, boolean>();

  @Inject() private readonly counters!: CounterStore;
  @Inject() private readonly env!: Env;
  @Inject() private readonly observer!: AdmissionObserver;
  @Inject() private readonly recorder!: UsageRecorder;
  @Inject() private readonly networks!: KeyNetworks;

  /** Takes a request from the windows of the account, and sets the headers. @returns the 429 of a refused request */
  async admit(caller: Caller, reply: FastifyReply, quota: FastifyContextConfig['quota']): Promise<Problem | undefined> {
    if (quota === 'none') return this.admitWithoutQuota(caller, reply);
    const decision = await this.counters.admit(caller);
    this.observer.decided(caller, decision.outcome);
    this.show(decision, reply);
    if (decision.outcome === 'admitted') {
      this.networks.add(caller, reply.request.ip);
      return undefined;
    }
    this.observer.refused(caller, decision);
    this.recorder.count(caller, reply.request, decision.outcome);
    return tooManyRequests(decision);
  }

  /** The same for a request without a valid key, and the windows of its address. */
  async admitAddress({ ip }: FastifyRequest, reply: FastifyReply): Promise<Problem | undefined> {
    const address = rateLimitKey(ip);
    this.observer.unauthenticated(address);
    const decision = await this.counters.admitAddress(address);
    if (decision.outcome !== 'admitted') return this.refuseAddress(decision, reply);
    this.observer.unknown('unauthenticated');
    this.show(decision, reply);
    return undefined;
  }

  /** The 429 of a request that `admitAddress` would refuse. Takes nothing from the windows. */
  async refuseExhaustedAddress({ ip }: FastifyRequest, reply: FastifyReply): Promise<Problem | undefined> {
    const decision = await this.counters.peekAddress(rateLimitKey(ip));
    return decision.outcome === 'admitted' ? undefined : this.refuseAddress(decision, reply);
  }

  /** Sets the rate-limit headers of the address, for a request that is not counted. @param outcome if it has one */
  async showAddress({ ip }: FastifyRequest, reply: FastifyReply, outcome?: 'unavailable'): Promise<void> {
    if (outcome !== undefined) this.observer.unknown(outcome);
    this.show(await this.counters.peekAddress(rateLimitKey(ip)), reply);
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const isThrottled = this.isThrottled(context.getHandler()) || this.isThrottled(context.getClass());
    return !isThrottled || super.canActivate(context);
  }

  protected override async handleRequest(throttled: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, blockDuration, getTracker, generateKey } = throttled;
    if (limit === NO_LIMIT || ttl === 0 || blockDuration !== ttl) throw unenforceable(context.getClass());
    const key = generateKey(context, await getTracker(requestOf(context), context), 'default');
    const decision = await this.counters.takeFromWindow(key, limit, Math.ceil(ttl / 1000));
    const reply = replyOf(context);
    this.addFields(decision, reply);
    if (decision.outcome !== 'admitted') throw ApiError.of(tooManyRequests(decision, ' for this operation'));
    const shown = reply.getHeader(REMAINING_HEADER);
    if (shown === undefined || decision.remaining < Number(shown)) reply.headers(rateLimitHeaders(decision));
    return true;
  }

  /** The account, whose keys share the limit. On public routes, the client's address. */
  protected override async getTracker(request: FastifyRequest): Promise<string> {
    return request.caller === undefined ? rateLimitKey(request.ip) : String(request.caller.accountId);
  }

  private isThrottled(target: Function): boolean {
    const known = this.throttled.get(target);
    if (known !== undefined) return known;
    const keys: readonly unknown[] = Reflect.getMetadataKeys(target);
    const limits = keys.filter((key) => typeof key === 'string' && key.startsWith(LIMIT_METADATA));
    if (limits.some((key) => key !== `${LIMIT_METADATA}default`)) throw unenforceable(target);
    this.throttled.set(target, limits.length > 0);
    return limits.length > 0;
  }

  /**
   * A window of its own limits what uses no quota, so that an exhausted account or a banned key can ask for its usage. An
   * admitted request shows the windows of the plan, from which it takes nothing.
   */
  private async admitWithoutQuota(caller: Caller, reply: FastifyReply): Promise<Problem | undefined> {
    const limit = Math.max(LEAST_WITHOUT_QUOTA_PER_MINUTE, caller.limits.perMinute);
    const decision = await this.counters.takeFromWindow(`without-quota:${caller.accountId}`, limit, MINUTE_SECONDS);
    this.observer.decided(caller, decision.outcome);
    const isAdmitted = decision.outcome === 'admitted';
    this.show(isAdmitted ? decideOn(await this.counters.peek(caller), 0) : decision, reply);
    return isAdmitted ? undefined : tooManyRequests(decision, ' for operations that use no quota');
  }

  private refuseAddress(decision: Decision, reply: FastifyReply): Problem {
    this.observer.unknown('address_limited');
    this.show(decision, reply);
    return tooManyRequests(decision, ' without a valid API key');
  }

  /** Replaces what an earlier decision on the request has shown. */
  private show(decision: Decision, reply: FastifyReply): void {
    reply.headers(rateLimitHeaders(decision));
    if (!this.env.RATE_LIMIT_FIELDS) return;
    const { policy, state } = rateLimitFields(decision);
    reply.header('ratelimit-policy', policy).header('ratelimit', state);
  }

  /** The limit of an operation comes after those of the account. */
  private addFields(decision: Decision, reply: FastifyReply): void {
    if (!this.env.RATE_LIMIT_FIELDS) return;
    const { policy, state } = rateLimitFields(decision);
    addToListHeader(reply, 'ratelimit-policy', policy);
    addToListHeader(reply, 'ratelimit', state);
  }
}

/** The service refuses every request rather than ignore a limit. */
function unenforceable({ name }: Function): Error {
  return new Error(`@Throttle() of ${name} must be { default: { limit, ttl } }, without other names and options.`);
}
