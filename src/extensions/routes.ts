import { HttpStatus, type INestApplicationContext, RequestMethod, VERSION_NEUTRAL } from '@nestjs/common';
import * as constants from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { handlerParameters, routeConfigOf } from '../http/requests/handler-metadata.js';
import { operationOf } from '../openapi/operation.decorator.js';

/** Metadata of `@SubscribeMessage()`, and of `@MessagePattern()` and `@EventPattern()`. */
const MESSAGES = ['websockets:message_mapping', 'microservices:pattern'];
/** Metadata of `@ApiProduces()`. */
const API_PRODUCES = 'swagger/apiProduces';

/** A method of a controller at one of its paths. */
export type Route = ReturnType<typeof routesOf>[number];

export function routesOf(app: INestApplicationContext) {
  const modules = app.get(ModulesContainer);
  const controllers = new DiscoveryService(modules).getControllers();
  return methodsOf(controllers, constants.PATH_METADATA).flatMap(({ name, method, handler, metatype, host }) => {
    // Set by RouterModule.
    const prefix = pathsOf(host?.metatype, constants.MODULE_PATH + modules.applicationId);
    const verb = RequestMethod[Reflect.getMetadata(constants.METHOD_METADATA, handler) as RequestMethod];
    const types = (Reflect.getMetadata('design:paramtypes', metatype.prototype as object, method) ?? []) as unknown[];
    const targets = [handler, metatype];
    const versions = targets.map((target) => Reflect.getMetadata(constants.VERSION_METADATA, target) as unknown);
    const route = {
      name,
      access: routeConfigOf(handler)?.access,
      operation: operationOf(handler),
      hasMediaTypes: targets.some((target) => Reflect.hasMetadata(API_PRODUCES, target)),
      status: statusOf(handler),
      hasVersion: versions.some((version) => version !== undefined && version !== VERSION_NEUTRAL),
      parameters: handlerParameters(metatype, method).map((one) => ({ ...one, metatype: types[one.index] })),
      pipes: targets.flatMap((target) => (Reflect.getMetadata(constants.PIPES_METADATA, target) ?? []) as unknown[]),
    };
    const paths = [metatype, handler].map((target) => pathsOf(target, constants.PATH_METADATA));
    // Without the names of parameters, which do not make a route another one.
    return joined(prefix, ...paths).map((path) => ({ ...route, address: `${verb} ${path.replaceAll(/:\w+/g, ':')}` }));
  });
}

function statusOf(handler: Function): number {
  const redirect = Reflect.getMetadata(constants.REDIRECT_METADATA, handler) as { statusCode?: number } | undefined;
  if (redirect !== undefined) return redirect.statusCode ?? HttpStatus.FOUND;
  return Reflect.getMetadata(constants.HTTP_CODE_METADATA, handler) as number;
}

/** The names of handlers of messages that do not declare to be public. */
export function unopenedMessagesOf(app: INestApplicationContext): string[] {
  const discovery = new DiscoveryService(app.get(ModulesContainer));
  return methodsOf([...discovery.getControllers(), ...discovery.getProviders()], ...MESSAGES)
    .filter(({ handler }) => routeConfigOf(handler)?.access !== 'public')
    .map(({ name }) => name);
}

/** The methods of classes whose decorators set one of these keys of metadata. */
function methodsOf(classes: readonly Pick<InstanceWrapper, 'metatype' | 'host'>[], ...keys: readonly string[]) {
  const scanner = new MetadataScanner();
  return classes.flatMap(({ metatype, host }) => {
    if (typeof metatype !== 'function') return [];
    const prototype = (metatype.prototype ?? {}) as Record<string, unknown>;
    return scanner.getAllMethodNames(prototype).flatMap((method) => {
      const handler = prototype[method];
      if (typeof handler !== 'function' || !keys.some((key) => Reflect.hasMetadata(key, handler))) return [];
      return [{ name: `${metatype.name}.${method}`, method, handler, metatype, host }];
    });
  });
}

function pathsOf(target: Function | null | undefined, key: string): string[] {
  const paths = target && (Reflect.getMetadata(key, target) as string | string[] | undefined);
  return [paths ?? ''].flat();
}

/** Every combination of the parts of paths, which may begin and end with slashes. */
function joined(...parts: readonly string[][]): string[] {
  const all = parts.reduce((firsts, seconds) =>
    firsts.flatMap((first) => seconds.map((second) => `${first}/${second}`)),
  );
  return all.map((path) => `/${path.split('/').filter(Boolean).join('/')}`);
}
