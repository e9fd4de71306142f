import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyContextConfig } from 'fastify';

/** Tells hooks of the server something about a route, beside what other decorators tell; Nest's own keeps the last only. */
export function RouteFact(fact: FastifyContextConfig): MethodDecorator {
  return (target, name, descriptor) => {
    const told = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value as Function) as FastifyContextConfig | undefined;
    RouteConfig({ ...told, ...fact })(target, name, descriptor);
  };
}
