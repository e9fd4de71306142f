import { ClassSerializerInterceptor, type NestInterceptor } from '@nestjs/common';
import { INTERCEPTORS_METADATA } from '@nestjs/common/constants.js';
import { APP_INTERCEPTOR, ModulesContainer, NestApplication } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Route } from './composition.js';
import { isPublic } from './route-checks.js';

/**
 * A response is stored as the handler and its interceptors return it. A repeated one is plain JSON, from which a serializer
 * of the controller or the application removes nothing.
 */
export function serializerFaults(routes: readonly Route[], ofApplication: readonly unknown[] = []): string[] {
  return routes.flatMap((route) => {
    const { name, handler, controller, isPost } = route;
    // Without an API key, nothing is stored.
    if (!isPost || isPublic(handler) || serializersOf(handler).length > 0) return [];
    const [serializer] = [...serializersOf(controller), ...ofApplication];
    if (serializer === undefined) return [];
    return (
      `${name}: ${classOf(serializer).name} runs after the response for an Idempotency-Key is stored, so repeated ` +
      'responses would have what it removes. Add it to the handler with @UseInterceptors().'
    );
  });
}

/**
 * The serializers of an application, which are complete after `configure`.
 * @param app before `configure`
 */
export function globalSerializers(app: NestFastifyApplication): () => unknown[] {
  const used: unknown[] = [];
  const remember = (...interceptors: NestInterceptor[]) => {
    used.push(...interceptors);
    Reflect.apply(NestApplication.prototype.useGlobalInterceptors, app, interceptors);
    return app;
  };
  // Nest's proxy around the application ignores assignments, and calls what is defined.
  Object.defineProperty(app, 'useGlobalInterceptors', { value: remember, configurable: true });
  return () => {
    const provided = [...app.get(ModulesContainer).values()].flatMap(({ providers }) =>
      [...providers].filter(([token]) => String(token).startsWith(APP_INTERCEPTOR)).map(([, provider]) => provider),
    );
    // One of the request scope has no instance yet.
    return [...used, ...provided.flatMap(({ instance, metatype }) => [instance, metatype])].filter(isSerializer);
  };
}

function serializersOf(target: Function): unknown[] {
  const bound = (Reflect.getMetadata(INTERCEPTORS_METADATA, target) ?? []) as readonly unknown[];
  return bound.filter(isSerializer);
}

/** @param interceptor a class or an instance */
function isSerializer(interceptor: unknown): boolean {
  const type = classOf(interceptor);
  return type === ClassSerializerInterceptor || type.prototype instanceof ClassSerializerInterceptor;
}

function classOf(interceptor: unknown): Function {
  return typeof interceptor === 'function' ? interceptor : Object(interceptor).constructor;
}
