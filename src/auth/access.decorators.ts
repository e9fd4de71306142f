import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig } from 'fastify';

/** Who may call a route: anybody, or a key with a scope. */
export type Access = 'public' | { readonly scope: string };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `@Public()` and `@RequireScope()`. */
    access?: Access;
    /** Set by operations that take nothing from the plan's windows. */
    quota?: 'none';
    /** The method that the route leads to, as decorators know it: of the prototype of a controller. */
    handler?: { readonly controller: object; readonly method: string | symbol };
  }
}

/** Key of an `Access`, for Nest's Reflector. */
export const ACCESS = 'petstore:access';

/** Opens a route to callers without a key. It takes nothing from any plan. */
export function Public(): MethodDecorator {
  return access('public');
}

/**
 * Demands a key with a scope; `@Operation()` does so by itself. A route that declares neither this nor `@Public()` is
 * refused to everybody.
 * @param config of the route besides: Nest keeps only the last `@RouteConfig()` of a handler
 */
export function RequireScope(scope: string, config: FastifyContextConfig = {}): MethodDecorator {
  return access({ scope }, config);
}

function access(declared: Access, config: FastifyContextConfig = {}): MethodDecorator {
  return (controller, method, descriptor) => {
    const routeConfig = { ...config, access: declared, handler: { controller, method } };
    applyDecorators(SetMetadata(ACCESS, declared), RouteConfig(routeConfig))(controller, method, descriptor);
  };
}
