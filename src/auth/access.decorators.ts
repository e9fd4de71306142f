import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyContextConfig } from 'fastify';

/** Who can call a route: everybody, or a key with a scope. */
export type Access = 'public' | { readonly scope: string };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `@Public()` and `@RequireScope()`. */
    access?: Access;
    /** Set for operations that use no quota. */
    quota?: 'none';
    /** The handler of the route, as method decorators identify it. `controller` is a prototype. */
    handler?: { readonly controller: object; readonly method: string | symbol };
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
  return (controller, method, descriptor) => {
    // Nest keeps only the last configuration of a handler.
    const present = routeConfigOf(descriptor.value as Function);
    const routeConfig = { ...present, ...config, access: declared, handler: { controller, method } };
    applyDecorators(SetMetadata(ACCESS, declared), RouteConfig(routeConfig))(controller, method, descriptor);
  };
}

/** The configuration that `@RouteConfig()` has given a handler. */
export function routeConfigOf(handler: Function): FastifyContextConfig | undefined {
  return Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as FastifyContextConfig | undefined;
}
