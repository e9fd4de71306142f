import { SetMetadata } from '@nestjs/common';
import type { ParameterDecoratorOptions, RouteParamMetadata } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyContextConfig } from 'fastify';

type HandlerParameter = RouteParamMetadata & ParameterDecoratorOptions & { readonly type: RouteParamtypes };

/** The parameters of a controller's method that have decorators. */
export function handlerParameters(controller: Function, method: string | symbol): HandlerParameter[] {
  // Nest decorates methods after their parameters, so a decorator of a method can call it too.
  const declared: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method);
  // Keys are the type and the index, as in `4:0`; those of custom decorators begin with a name.
  const byKey = Object.entries((declared ?? {}) as Record<string, Omit<HandlerParameter, 'type'>>);
  return byKey.map(([key, parameter]) => ({ ...parameter, type: Number(key.split(':')[0]) }));
}

export function routeConfigOf(handler: Function): FastifyContextConfig | undefined {
  return Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as FastifyContextConfig | undefined;
}

/** `@RouteConfig()` that adds to the configuration of other decorators; that of Nest replaces it. */
export function AddRouteConfig(config: FastifyContextConfig): MethodDecorator {
  return (target, name, descriptor) => {
    RouteConfig({ ...routeConfigOf(descriptor.value as Function), ...config })(target, name, descriptor);
  };
}

const PARAMETER_ERRORS = 'petstore:parameter-errors';

/** Makes a decorator of parameters from one of methods, such as `ApiHeader()`. @param errors of reading the parameter */
export function documentParameter(document: MethodDecorator, errors: readonly Error[] = []): ParameterDecorator {
  return (target, name) => {
    const descriptor = name === undefined ? undefined : Object.getOwnPropertyDescriptor(target, name);
    if (name === undefined || descriptor === undefined) return;
    document(target, name, descriptor);
    const all = [...parameterErrorsOf(descriptor.value as Function), ...errors];
    SetMetadata(PARAMETER_ERRORS, all)(target, name, descriptor);
  };
}

export function parameterErrorsOf(handler: Function): readonly Error[] {
  return (Reflect.getMetadata(PARAMETER_ERRORS, handler) as Error[] | undefined) ?? [];
}
