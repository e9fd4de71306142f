import { type INestApplication, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ACCESS, type Access } from '../../src/auth/access.decorators.js';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { isIdempotent } from '../../src/http/idempotency/idempotent.decorator.js';
import { operationOf } from '../../src/openapi/operation.decorator.js';
import { operationsOf } from './document.js';

/** A route of the application, as its controller declares it. */
export interface Route {
  /** Class and method. */
  readonly name: string;
  readonly handler: Function;
  /** The path as in an OpenAPI document, without the version prefix. */
  readonly path: string;
  /** In lower case. */
  readonly method: string;
}

/** Error statuses that every operation can return. */
const STATUSES = ['400', '401', '403', '429', '431', '500', '503'];

/** Returns every route of every controller in the application. */
export function routesOf(app: INestApplication): Route[] {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  return controllers.flatMap(({ metatype }) => (metatype ? routesOfController(metatype as Type) : []));
}

function routesOfController(controller: Type): Route[] {
  const prototype = controller.prototype as Record<string, Function>;
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((methodName) => {
    const handler = prototype[methodName];
    const verb = handler && (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined);
    if (handler === undefined || verb === undefined) return [];
    const segments = [controller, handler].map((target) => String(Reflect.getMetadata(PATH_METADATA, target)));
    const path = `/${segments.join('/').split('/').filter(Boolean).join('/')}`.replaceAll(/:(\w+)/g, '{$1}');
    return [
      { name: `${controller.name}.${methodName}`, handler, path, method: (RequestMethod[verb] ?? '').toLowerCase() },
    ];
  });
}

/** Returns what the routes fail to document, each with the name of the route. Empty if nothing is missing. */
export function routeFaults(routes: readonly Route[], document: OpenAPIObject): string[] {
  return routes.flatMap((route) => undeclared(route, document).map((fault) => `${route.name} ${fault}`));
}

function undeclared({ handler, path, method }: Route, document: OpenAPIObject): string[] {
  const requirement = Reflect.getMetadata(ACCESS, handler) as Access | undefined;
  if (requirement === 'public') return [];
  const scope = typeof requirement === 'object' ? requirement.scope : undefined;
  const {
    operation,
    parameters = [],
    responses = {},
  } = operationsOf(document).find((at) => at.path === path && at.method === method) ?? {};
  const [status, success] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  const examples = Object.values(success?.content ?? {}).flatMap((media) => Object.keys(media.examples ?? {}));
  const faults: [boolean, string][] = [
    [scope !== undefined && !SCOPES.some((known) => known === scope), `asks for the unknown scope ${scope ?? ''}`],
    [
      operationOf(handler) === undefined || operation?.['x-stability'] !== operationOf(handler)?.stability,
      'declares no stability',
    ],
    [operation === undefined, 'is not in the document'],
    [
      operationOf(handler) === undefined || operationOf(handler)?.id !== operation?.operationId,
      'declares no operationId',
    ],
    [!operation?.summary || !operation.description, 'lacks a summary or a description'],
    [
      !operation?.tags?.some((name) => document.tags?.some((tag) => tag.name === name && tag.description)),
      'is under no heading',
    ],
    [success === undefined, 'documents no success'],
    [success !== undefined && status !== '204' && examples.length === 0, 'has no example of success'],
    [
      isIdempotent(handler) !== parameters.some(({ name }) => name === 'Idempotency-Key'),
      'documents another Idempotency-Key than it declares',
    ],
    ...STATUSES.filter((code) => code !== '403' || scope !== undefined).map((code): [boolean, string] => [
      responses[code] === undefined,
      `does not document ${code}`,
    ]),
  ];
  return faults.filter(([found]) => found).map(([, fault]) => fault);
}
