import { type INestApplicationContext, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, MODULE_PATH, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { Access } from '../auth/index.js';
import { routeConfigOf } from '../http/index.js';
import { type DeclaredOperation, operationOf } from '../openapi/index.js';

/** A method of a controller at one of its paths. */
export interface Route {
  /** Class and method, such as `PetsController.getPet`. */
  readonly name: string;
  /** Method and path without the names of parameters, such as `GET /pets/:`. */
  readonly address: string;
  /** What admission knows of it. */
  readonly access: Access | undefined;
  readonly operation: DeclaredOperation | undefined;
  /** The types of the handler's parameters. */
  readonly parameters: readonly unknown[];
}

/** The routes of all controllers. */
export function routesOf(app: INestApplicationContext): Route[] {
  const modules = app.get(ModulesContainer);
  const scanner = new MetadataScanner();
  return new DiscoveryService(modules).getControllers().flatMap(({ metatype, host }) => {
    if (typeof metatype !== 'function') return [];
    // Set by RouterModule.
    const prefix = pathsOf(host?.metatype, MODULE_PATH + modules.applicationId);
    const prototype = metatype.prototype as Record<string, unknown>;
    return scanner.getAllMethodNames(prototype).flatMap((method) => {
      const handler = prototype[method];
      if (typeof handler !== 'function' || !Reflect.hasMetadata(PATH_METADATA, handler)) return [];
      const verb = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
      const route = {
        name: `${metatype.name}.${method}`,
        access: routeConfigOf(handler)?.access,
        operation: operationOf(handler),
        parameters: (Reflect.getMetadata('design:paramtypes', prototype, method) ?? []) as unknown[],
      };
      return joined(prefix, pathsOf(metatype, PATH_METADATA), pathsOf(handler, PATH_METADATA)).map((path) => ({
        ...route,
        address: `${verb} ${path.replaceAll(/:\w+/g, ':')}`,
      }));
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
