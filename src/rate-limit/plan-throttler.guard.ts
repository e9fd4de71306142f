import { type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/index.js';
import { replyOf, requestOf } from '../http/index.js';
import { quotaAddress } from './address.js';
import { CounterStore } from './counter-store.js';
import { type Decision } from './decision.js';
import { refusalHeaders, REMAINING_HEADER, setRateLimitHeaders } from './rate-limit-headers.js';
import { type RouteThrottle, routeThrottles } from './route-throttle.js';

/** Nest takes a plain boolean as well, though the package's guard promises one; to wait for a promise takes 1 of getPet's 30 µs. */
const ADMITTED = true as unknown as Promise<boolean>;

/**
 * Applies `@Throttle()` and `@SkipThrottle()` as a further limit of a route, for each account.
 *
 * The plan was applied at admission. Windows are fixed and whole seconds long; of `@Throttle()`, `limit` and `ttl`
 * are honoured, as numbers or functions. Of several named limits, each is taken from in turn up to the first that
 * refuses. The response shows one window only: the route's where less remains in it than in the plan's.
 */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard {
  private readonly routes = new WeakMap<Type, Map<unknown, readonly RouteThrottle[]>>();

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly counters: CounterStore,
  ) {
    super(options, storage, reflector);
  }

  /** Sets up nothing: the package's own windows are not used. */
  override async onModuleInit(): Promise<void> {}

  override canActivate(context: ExecutionContext): Promise<boolean> {
    const throttles = this.throttlesOf(context);
    return throttles.length === 0 ? ADMITTED : this.takeAll(throttles, context);
  }

  private throttlesOf(context: ExecutionContext): readonly RouteThrottle[] {
    const handler = context.getHandler();
    const controller = context.getClass();
    let handlers = this.routes.get(controller);
    if (handlers === undefined) this.routes.set(controller, (handlers = new Map()));
    let throttles = handlers.get(handler);
    if (throttles === undefined) handlers.set(handler, (throttles = routeThrottles(handler, controller)));
    return throttles;
  }

  private async takeAll(throttles: readonly RouteThrottle[], context: ExecutionContext): Promise<boolean> {
    const reply = replyOf(context);
    const caller = subjectOf(requestOf(context));
    for (const throttle of throttles) {
      const limit = await resolve(throttle.limit, context);
      const windowSeconds = Math.max(1, Math.ceil((await resolve(throttle.ttl, context)) / 1000));
      const decision = await this.counters.takeFromRoute(`${throttle.subject}:${caller}`, limit, windowSeconds);
      if (decision.outcome !== 'admitted') throw refusal(decision, windowSeconds);
      if (isTightest(decision, reply)) setRateLimitHeaders(reply, decision);
    }
    return true;
  }
}

/** The account, whose keys share the limit; on routes that need no key, the client's address. */
function subjectOf({ caller, ip }: FastifyRequest): string {
  return caller === undefined ? quotaAddress(ip) : String(caller.accountId);
}

async function resolve(value: RouteThrottle['limit'], context: ExecutionContext): Promise<number> {
  return typeof value === 'function' ? value(context) : value;
}

function isTightest(decision: Decision, reply: FastifyReply): boolean {
  const shown = reply.getHeader(REMAINING_HEADER);
  return shown === undefined || decision.remaining < Number(shown);
}

function refusal(decision: Decision, windowSeconds: number): ApiError {
  return new ApiError(
    'rate_limit_exceeded',
    `This operation allows ${decision.limit} requests in ${windowSeconds} seconds. Retry in ${decision.retryAfterSeconds} seconds.`,
    refusalHeaders(decision),
  );
}
