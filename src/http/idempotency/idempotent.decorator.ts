import { applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { AddRouteConfig, routeConfigOf } from '../requests/handler-metadata.js';

/** What an operation does with an Idempotency-Key. Others ignore it. */
export type IdempotencyRule = 'accepted' | 'refused';

declare module 'fastify' {
  interface FastifyContextConfig {
    idempotency?: IdempotencyRule;
  }
}

/** The extension of the scanned operation, which the OpenAPI document does not have. */
export const IDEMPOTENCY_EXTENSION = 'x-idempotency';

/**
 * Makes it safe to repeat an operation: it accepts an `Idempotency-Key`. Its handler then runs in one transaction, which also
 * stores the response for 24 hours, and a repeated request returns that response. So it must do database work of a second or
 * less, and no outgoing calls: what they did would remain after a rollback, and other requests would wait for the
 * transaction. Without a caller (`@Public()`), the header is ignored. Put it above any `@RouteConfig()`.
 */
export function Idempotent(): MethodDecorator {
  return declareRule('accepted');
}

/** Refuses an `Idempotency-Key`, because the response has a secret, which must not be stored. */
export function RefuseIdempotencyKey(): MethodDecorator {
  return declareRule('refused');
}

function declareRule(idempotency: IdempotencyRule): MethodDecorator {
  return applyDecorators(AddRouteConfig({ idempotency }), ApiExtension(IDEMPOTENCY_EXTENSION, idempotency));
}

export function isIdempotent(handler: Function): boolean {
  return routeConfigOf(handler)?.idempotency === 'accepted';
}
