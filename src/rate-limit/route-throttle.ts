import 'reflect-metadata';
import type { ExecutionContext, Type } from '@nestjs/common';
import type { Resolvable } from '@nestjs/throttler';
import { THROTTLER_LIMIT, THROTTLER_SKIP, THROTTLER_TTL } from '@nestjs/throttler/dist/throttler.constants.js';

type Handler = ReturnType<ExecutionContext['getHandler']>;

/** One limit that `@Throttle()` gives a route, or every route of a controller, besides the plan's. */
export interface RouteThrottle {
  /** Names the route and the limit. */
  readonly subject: string;
  readonly limit: Resolvable<number>;
  /** Length of the window in milliseconds. */
  readonly ttl: Resolvable<number>;
}

/**
 * Reads what `@Throttle()` and `@SkipThrottle()` say of a route; on the handler they override those on the class.
 * @throws TypeError when a limit lacks its `limit` or its `ttl`
 */
export function routeThrottles(handler: Handler, controller: Type): RouteThrottle[] {
  const targets = [handler, controller];
  const names = new Set(targets.flatMap(throttleNames));
  return [...names]
    .filter((name) => override<boolean>(THROTTLER_SKIP + name, targets) !== true)
    .map((name) => {
      const subject = `${controller.name}.${handler.name}.${name}`;
      const limit = override<Resolvable<number>>(THROTTLER_LIMIT + name, targets);
      const ttl = override<Resolvable<number>>(THROTTLER_TTL + name, targets);
      if (limit === undefined || ttl === undefined) throw new TypeError(`@Throttle of ${subject} needs limit and ttl`);
      return { subject, limit, ttl };
    });
}

function throttleNames(target: object): string[] {
  return Reflect.getMetadataKeys(target)
    .filter((key) => typeof key === 'string' && key.startsWith(THROTTLER_LIMIT))
    .map((key: string) => key.slice(THROTTLER_LIMIT.length));
}

function override<Value>(key: string, targets: readonly object[]): Value | undefined {
  for (const target of targets) {
    const value: Value | undefined = Reflect.getMetadata(key, target);
    if (value !== undefined) return value;
  }
  return undefined;
}
