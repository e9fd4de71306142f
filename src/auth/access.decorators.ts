import { applyDecorators, SetMetadata } from '@nestjs/common';
import type { FastifyContextConfig } from 'fastify';
import { AddRouteConfig } from '../http/index.js';

/** Who can call a route: everybody, or a key with a scope. */
export type Access = 'public' | { readonly scope: string };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `@Public()` and `@RequireScope()`. */
    access?: Access;
    /** Set for operations that use no quota. */
    quota?: 'none';
  }
}

/** Key of an `Access`, for Nest's Reflector. */
export const ACCESS = 'petstore:access';

/** Opens a route to callers without a key. Its requests use no quota of a plan. */
export function Public(): MethodDecorator {
  return access('public');
}

/**
 * Requires a key with a scope. `@Operation()` includes it. A route with neither this nor `@Public()` refuses everybody.
 * @param config other route configuration, in addition to that of a `@RouteConfig()` below
 */
export function RequireScope(scope: string, config: FastifyContextConfig = {}): MethodDecorator {
  return access({ scope }, config);
}

function access(declared: Access, config: FastifyContextConfig = {}): MethodDecorator {
  return applyDecorators(SetMetadata(ACCESS, declared), AddRouteConfig({ ...config, access: declared }));
}
