import { applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { AddRouteConfig, routeConfigOf } from '../requests/handler-metadata.js';

/**
 * Makes it safe to repeat an operation by an `Idempotency-Key`: its handler then runs in one transaction, which also stores
 * the response for 24 hours. So it must do database work of a second or less, and no outgoing calls: what they did would
 * remain after a rollback. Without a caller (`@Public()`), the header is ignored. Put it above any `@RouteConfig()`.
 */
export function Idempotent(): MethodDecorator {
  return applyDecorators(AddRouteConfig({ idempotency: 'accepted' }), ApiExtension('x-idempotent', true));
}

/** Refuses an `Idempotency-Key`, because the response has a secret, which must not be stored. */
export function RefuseIdempotencyKey(): MethodDecorator {
  return AddRouteConfig({ idempotency: 'refused' });
}

export function isIdempotent(handler: Function): boolean {
  return routeConfigOf(handler)?.idempotency === 'accepted';
}
