import { type DynamicModule, RequestMethod } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA, VERSION_METADATA } from '@nestjs/common/constants.js';
import { APP_FILTER, MetadataScanner, ModulesContainer, NestFactory } from '@nestjs/core';
import { METHODS_WITH_BODY, sendsResponse, takesBody } from '../http/index.js';
import { isUndocumented } from '../openapi/index.js';

/** A key of metadata that `@nestjs/websockets` does not export. */
const WEBSOCKET_MESSAGE = 'websockets:message_mapping';

/** A method that Nest calls for a request or a message. */
export interface Handler {
  /** Class and method, such as `PetsController.getPet`. */
  readonly name: string;
  readonly method: string;
  readonly handler: Function;
}

/** A method of a controller with a path. */
export interface Route extends Handler {
  readonly controller: Function;
  /** Paths without a slash at their ends, such as `pets/:petId`. */
  readonly paths: readonly string[];
  readonly isPost: boolean;
  readonly isOfAllMethods: boolean;
  /** Whether it takes a body, which is never read for its HTTP method. */
  readonly takesUnreadBody: boolean;
  /** Whether it sends its response itself instead of returning it. */
  readonly sendsResponse: boolean;
  /** Whether it is excluded from the OpenAPI document. */
  readonly isUndocumented: boolean;
  readonly hasVersion: boolean;
  /** The status in `@HttpCode()`. */
  readonly statusCode: number | undefined;
}

/** The contents of the modules of an application. */
export interface Composition {
  readonly routes: readonly Route[];
  /** Methods of WebSocket gateways that handle messages. */
  readonly messages: readonly Handler[];
  /** Tokens of all providers. */
  readonly tokens: ReadonlySet<unknown>;
  /** Classes of filters that apply to all routes. */
  readonly globalFilters: readonly Function[];
  /** Classes of all providers, and of guards, pipes and interceptors in decorators. */
  readonly classes: readonly Function[];
}

/** Reads the modules of an application without creating their providers. */
export async function inspect(module: DynamicModule): Promise<Composition> {
  const options = { preview: true, logger: false, abortOnError: false } as const;
  const preview = await NestFactory.createApplicationContext(module, options);
  const modules = [...preview.get(ModulesContainer).values()];
  const controllers = classesIn(modules.map((one) => one.controllers));
  const classes = classesIn(modules.flatMap(({ providers, injectables }) => [providers, injectables]));
  return {
    routes: controllers.flatMap(routesOf),
    messages: classes.flatMap((type) => handlersOf(type, WEBSOCKET_MESSAGE)),
    globalFilters: classesIn(
      modules.map(({ providers }) => new Map([...providers].filter(([token]) => isGlobalFilter(token)))),
    ),
    tokens: new Set(modules.flatMap(({ providers }) => [...providers.keys()])),
    classes,
  };
}

/** Nest gives each provider of APP_FILTER a token of its own. */
function isGlobalFilter(token: unknown): boolean {
  return typeof token === 'string' && token.startsWith(APP_FILTER);
}

function classesIn(groups: readonly ReadonlyMap<unknown, { metatype: unknown }>[]): Function[] {
  const all = groups.flatMap((group) => [...group.values()].map(({ metatype }) => metatype));
  return [...new Set(all.filter((one) => typeof one === 'function'))];
}

function routesOf(controller: Function): Route[] {
  return handlersOf(controller, PATH_METADATA).map(({ name, method, handler }) => {
    const requestMethod = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod;
    const isOfAllMethods = requestMethod === RequestMethod.ALL;
    return {
      name,
      method,
      handler,
      controller,
      paths: pathsOf(controller, handler),
      isPost: requestMethod === RequestMethod.POST,
      isOfAllMethods,
      takesUnreadBody:
        takesBody(controller, method) && !isOfAllMethods && !METHODS_WITH_BODY.has(RequestMethod[requestMethod]),
      sendsResponse: sendsResponse(controller, method),
      isUndocumented: isUndocumented(controller, handler),
      hasVersion: [handler, controller].some((one) => Reflect.getMetadata(VERSION_METADATA, one) !== undefined),
      statusCode: Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined,
    };
  });
}

function pathsOf(controller: Function, handler: Function): string[] {
  const [prefixes, paths] = [controller, handler].map((target) =>
    [Reflect.getMetadata(PATH_METADATA, target) as string | string[] | undefined].flat(),
  );
  return (prefixes ?? []).flatMap((prefix) =>
    (paths ?? []).map((path) => `${prefix}/${path}`.split('/').filter(Boolean).join('/')),
  );
}

/** The methods of a class that have metadata under a key. */
function handlersOf(type: Function, key: string): Handler[] {
  const prototype: unknown = type.prototype;
  if (typeof prototype !== 'object' || prototype === null) return [];
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((method) => {
    const handler: unknown = Reflect.get(prototype, method);
    if (typeof handler !== 'function' || !Reflect.hasMetadata(key, handler)) return [];
    return { name: `${type.name}.${method}`, method, handler };
  });
}
