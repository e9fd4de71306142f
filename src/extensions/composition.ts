import { type DynamicModule, RequestMethod } from '@nestjs/common';
import { MetadataScanner, ModulesContainer, NestFactory } from '@nestjs/core';

/** Metadata keys of Nest and its packages, which do not export them. */
const PATH = 'path';
const METHOD = 'method';
const ARGUMENTS = '__routeArguments__';
const PASSTHROUGH = '__responsePassthrough__';
const STATUS_CODE = '__httpCode__';
const VERSION = '__version__';
const WEBSOCKET_MESSAGE = 'websockets:message_mapping';
const EXCLUSIONS = ['swagger/apiExcludeController', 'swagger/apiExcludeEndpoint'];

/** Prefix of the keys of arguments with `@Res()` or `@Next()`. */
const OWN_RESPONSE = /^[12]:/;

/** A method that Nest calls for a request or a message. */
export interface Handler {
  /** Class and method, such as `PetsController.getPet`. */
  readonly name: string;
  readonly method: string;
  readonly handler: Function;
}

/** A method of a controller with a path. */
export interface Route extends Handler {
  readonly isPost: boolean;
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
    tokens: new Set(modules.flatMap(({ providers }) => [...providers.keys()])),
    classes,
  };
}

function classesIn(groups: readonly ReadonlyMap<unknown, { metatype: unknown }>[]): Function[] {
  const all = groups.flatMap((group) => [...group.values()].map(({ metatype }) => metatype));
  return [...new Set(all.filter((one) => typeof one === 'function'))];
}

function routesOf(controller: Function): Route[] {
  return handlersOf(controller, PATH).map(({ name, method, handler }) => {
    const isMarked = (key: string) =>
      [handler, controller].some((target) => Reflect.getMetadata(key, target) !== undefined);
    return {
      name,
      method,
      handler,
      isPost: Reflect.getMetadata(METHOD, handler) === RequestMethod.POST,
      sendsResponse: sendsResponse(controller, method),
      isUndocumented: EXCLUSIONS.some(isMarked),
      hasVersion: isMarked(VERSION),
      statusCode: Reflect.getMetadata(STATUS_CODE, handler) as number | undefined,
    };
  });
}

function sendsResponse(controller: Function, method: string): boolean {
  const declared = (Reflect.getMetadata(ARGUMENTS, controller, method) as object | undefined) ?? {};
  const isHandedOver = Object.keys(declared).some((key) => OWN_RESPONSE.test(key));
  return isHandedOver && Reflect.getMetadata(PASSTHROUGH, controller, method) !== true;
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
