/** What decorators left on classes and methods. Nest has no public names for the keys. */
import { HttpStatus, type INestApplicationContext, RequestMethod, VERSION_NEUTRAL } from '@nestjs/common';
import * as keys from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { DiscoveryService, MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import { handlerParameters, routeConfigOf } from '../http/requests/handler-metadata.js';
import { operationOf } from '../openapi/operation.decorator.js';

/** Metadata of `@SubscribeMessage()`, and of `@MessagePattern()` and `@EventPattern()`. */
const MESSAGES = ['websockets:message_mapping', 'microservices:pattern'];
/** Metadata of the methods of a GraphQL resolver. */
const RESOLVER = 'graphql:resolver_type';
const API_PRODUCES = 'swagger/apiProduces';

const reflector = new Reflector();

export type Route = ReturnType<typeof routesOf>[number];

/** The methods of controllers, each at all of its paths. */
export function routesOf(app: INestApplicationContext) {
  const modules = app.get(ModulesContainer);
  const controllers = new DiscoveryService(modules).getControllers();
  return methodsOf(controllers, keys.PATH_METADATA).flatMap(({ name, method, handler, metatype, host }) => {
    const verb = RequestMethod[reflector.get<RequestMethod>(keys.METHOD_METADATA, handler)];
    const types = (Reflect.getMetadata('design:paramtypes', metatype.prototype as object, method) ?? []) as unknown[];
    const targets = [handler, metatype];
    const versions = reflector.getAll<unknown[]>(keys.VERSION_METADATA, targets);
    const redirect = reflector.get<{ statusCode?: number } | undefined>(keys.REDIRECT_METADATA, handler);
    const code = reflector.get<number>(keys.HTTP_CODE_METADATA, handler);
    const route = {
      name,
      access: routeConfigOf(handler)?.access,
      operation: operationOf(handler),
      hasMediaTypes: targets.some((target) => Reflect.hasMetadata(API_PRODUCES, target)),
      status: redirect ? (redirect.statusCode ?? HttpStatus.FOUND) : code,
      hasVersion: versions.some((version) => version !== undefined && version !== VERSION_NEUTRAL),
      parameters: handlerParameters(metatype, method).map(({ type, ...parameter }) => {
        return { ...parameter, place: RouteParamtypes[type], metatype: types[parameter.index] };
      }),
      pipes: reflector.getAllAndMerge<unknown[]>(keys.PIPES_METADATA, targets),
    };
    // RouterModule sets the prefix of a module.
    const prefixes = host?.metatype ? pathsOf(host.metatype, keys.MODULE_PATH + modules.applicationId) : [''];
    const paths = [metatype, handler].map((target) => pathsOf(target, keys.PATH_METADATA));
    return joined(prefixes, ...paths).map((path) => {
      // Without the names of parameters, which do not make a path another one.
      const place = path.replaceAll(/:\w+/g, ':');
      return { ...route, path, place, address: `${verb} ${place}` };
    });
  });
}

/** The tokens of all providers. */
export function providersOf(app: INestApplicationContext): ReadonlySet<unknown> {
  return new Set(new DiscoveryService(app.get(ModulesContainer)).getProviders().map(({ token }) => token));
}

/** The names of handlers of messages that do not declare to be public. */
export function unopenedMessagesOf(app: INestApplicationContext): string[] {
  const discovery = new DiscoveryService(app.get(ModulesContainer));
  return methodsOf([...discovery.getControllers(), ...discovery.getProviders()], ...MESSAGES)
    .filter(({ handler }) => routeConfigOf(handler)?.access !== 'public')
    .map(({ name }) => name);
}

/** The names of methods that answer fields of GraphQL. */
export function resolversOf(app: INestApplicationContext): string[] {
  const providers = new DiscoveryService(app.get(ModulesContainer)).getProviders();
  return methodsOf(providers, RESOLVER).map(({ name }) => name);
}

/** Whether `@Catch()` of a filter has no arguments. */
export function catchesAll(filter: Function): boolean {
  return reflector.get<unknown[] | undefined>(keys.FILTER_CATCH_EXCEPTIONS, filter)?.length === 0;
}

/** The methods of classes whose decorators set one of these keys of metadata. */
function methodsOf(classes: ReturnType<DiscoveryService['getControllers']>, ...anyOf: readonly string[]) {
  const scanner = new MetadataScanner();
  return classes.flatMap(({ metatype, host }) => {
    if (typeof metatype !== 'function') return [];
    const prototype = (metatype.prototype ?? {}) as Record<string, unknown>;
    return scanner.getAllMethodNames(prototype).flatMap((method) => {
      const handler = prototype[method];
      if (typeof handler !== 'function' || !anyOf.some((key) => Reflect.hasMetadata(key, handler))) return [];
      return [{ name: `${metatype.name}.${method}`, method, handler, metatype, host }];
    });
  });
}

function pathsOf(target: Function, key: string): string[] {
  return [reflector.get<string | string[] | undefined>(key, target) ?? ''].flat();
}

/** Every combination of the parts of paths, which may begin and end with slashes. */
function joined(...parts: readonly string[][]): string[] {
  const all = parts.reduce((firsts, seconds) =>
    firsts.flatMap((first) => seconds.map((second) => `${first}/${second}`)),
  );
  return all.map((path) => `/${path.split('/').filter(Boolean).join('/')}`);
}
