import { applyDecorators, SetMetadata } from '@nestjs/common';
import type { FastifyContextConfig } from 'fastify';
import { AddRouteConfig } from '../http/requests/handler-metadata.js';

/** Who can call a route: everybody, every valid key, or a key with a scope. */
export type Access = 'public' | 'any key' | { readonly scope: string };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `@Public()`, `@RequireKey()` and `@RequireScope()`. */
    access?: Access;
    quota?: 'none';
    /** `operationId` of the route, set by `@Operation()`. */
    operation?: string;
  }
}

export const ACCESS = 'petstore:access';

/** Opens a route to callers without a key. Its requests use no quota of a plan. */
export function Public(): MethodDecorator {
  return access('public');
}

/** Requires a valid key, whatever its scopes. Its parameter is that of `@RequireScope()`. */
export function RequireKey(config: FastifyContextConfig = {}): MethodDecorator {
  return access('any key', config);
}

/**
 * Requires a key with a scope. `@Operation()` includes it. A route with none of these decorators refuses everybody.
 * @param config other route configuration, in addition to that of a `@RouteConfig()` below
 */
export function RequireScope(scope: string, config: FastifyContextConfig = {}): MethodDecorator {
  return access({ scope }, config);
}

function access(declared: Access, config: FastifyContextConfig = {}): MethodDecorator {
  return applyDecorators(SetMetadata(ACCESS, declared), AddRouteConfig({ ...config, access: declared }));
}
