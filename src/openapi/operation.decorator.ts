import { applyDecorators, Header, HttpCode, SetMetadata, type Type } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { DiscoveryService } from '@nestjs/core';
import { ApiExtension, ApiOperation, ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { ApiResponseOptions, ExampleObject } from '@nestjs/swagger';
import { RequireKey, RequireScope } from '../auth/access.decorators.js';
import type { ErrorCode, OwnErrorCode, Problem } from '../platform/errors/error-codes.js';
import { AddRouteConfig, parameterErrorsOf, handlerParameters } from '../http/requests/handler-metadata.js';
import { COMMON_HEADERS, type HeaderName, headerReferences } from '../http/response-headers.js';
import { errorsOfOperation } from './documented-errors.js';

/** `stable` operations change only compatibly, `beta` ones with notice, `experimental` ones at any time. */
export type Stability = 'stable' | 'beta' | 'experimental';

/** JSON by title. */
export type Examples = Readonly<Record<string, unknown>>;

export interface SuccessResponse {
  readonly status: number;
  readonly description: string;
  /** The class of the body; in brackets for a list. */
  readonly type?: Type | [Type];
  /** Media type of a body that is not JSON, such as `text/csv`; without `type`. */
  readonly contentType?: string;
  /** Name of the schema of a list. Default: no separate schema. */
  readonly listName?: string;
  /** Besides those of every response. */
  readonly headers?: readonly HeaderName[];
  readonly examples?: Examples;
}

/** For the guards and for the OpenAPI document. */
export interface OperationOptions {
  /** `operationId`: a verb and a noun in camel case, unique. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** The scope that a key needs; null if every valid key can call it. */
  readonly scope: string | null;
  readonly stability: Stability;
  readonly success: SuccessResponse;
  /** Valid request bodies by title. The explorer offers them. */
  readonly bodyExamples?: Examples;
  /** Maximum size of a JSON body, in bytes, up to 1 MiB. Default: 16 KiB. */
  readonly bodyLimitBytes?: number;
  /** `none` for an operation that uses no quota, and accepts exhausted accounts and banned keys. */
  readonly quota?: 'none';
  /** Besides those of every operation and of its parameters. */
  readonly errors?: readonly (ErrorCode | OwnErrorCode | Error | Problem)[];
}

export const API_KEY_SCHEME = 'apiKey';

/** In the description of an operation. */
export const WITHOUT_QUOTA = 'Uses no quota of the plan.';

const OPERATION = 'petstore:operation';
const API_CONSUMES = 'swagger/apiConsumes';
/** Fastify's default. */
const MAX_BODY_LIMIT_BYTES = 1024 * 1024;

/** Its errors include those of every operation. */
type DeclaredOperation = OperationOptions & { readonly errors: readonly Problem[] };

/**
 * Declares a route handler as an operation of the API.
 * @throws RangeError if Fastify would refuse smaller bodies
 */
export function Operation(options: OperationOptions): MethodDecorator {
  const { id, summary, description, scope, stability, success, quota, bodyExamples, bodyLimitBytes } = options;
  if (Number(bodyLimitBytes) > MAX_BODY_LIMIT_BYTES)
    throw new RangeError(`bodyLimitBytes must not exceed ${MAX_BODY_LIMIT_BYTES}.`);
  const config = quota === undefined ? {} : { quota };
  const access = scope === null ? 'Needs no scope.' : `Needs the scope \`${scope}\`.`;
  const needed = `${access}${quota === 'none' ? ` ${WITHOUT_QUOTA}` : ''}`;
  // Handlers can return JSON as a string. Without a class, the handler or its result sets the media type.
  const isJson = success.type !== undefined && success.type !== String;
  const contentType = success.contentType ?? (isJson ? 'application/json; charset=utf-8' : undefined);
  return (target, name, descriptor) => {
    const parameters = new Set(handlerParameters(target.constructor, name).map(({ type }) => type));
    const takesNoQuery = !parameters.has(RouteParamtypes.QUERY);
    const ofParameters = parameterErrorsOf(descriptor.value as Function);
    const mediaTypes = Reflect.getMetadata(API_CONSUMES, descriptor.value as Function) as string[] | undefined;
    const errors = errorsOfOperation(options, parameters.has(RouteParamtypes.BODY), ofParameters);
    applyDecorators(
      SetMetadata(OPERATION, { ...options, errors } satisfies DeclaredOperation),
      scope === null ? RequireKey(config) : RequireScope(scope, config),
      HttpCode(success.status),
      AddRouteConfig({ operation: id, bodyLimitBytes, takesNoQuery, mediaTypes }),
      ...(contentType === undefined ? [] : [Header('content-type', contentType)]),
      ApiExtension('x-stability', stability),
      // OpenAPI 3.1 allows scopes for any security scheme.
      ApiSecurity(API_KEY_SCHEME, scope === null ? [] : [scope]),
      ApiOperation({ operationId: id, summary, description: [description, needed].filter(Boolean).join('\n\n') }),
      ApiResponse(successResponse(success)),
      ApiExtension('x-errors', errors),
      ...(bodyExamples === undefined ? [] : [ApiExtension('x-body-examples', namedExamples(bodyExamples))]),
    )(target, name, descriptor);
  };
}

function successResponse(success: SuccessResponse): ApiResponseOptions {
  const { status, description, type, contentType, listName, headers = [], examples } = success;
  const textType = contentType ?? (type === String ? 'text/plain' : undefined);
  const body = textType === undefined ? type && { type } : { content: { [textType]: { schema: { type: 'string' } } } };
  return {
    status,
    description,
    headers: headerReferences([...COMMON_HEADERS, ...headers]),
    ...(examples && { examples: namedExamples(examples) }),
    ...(listName !== undefined && { 'x-list-name': listName }),
    ...body,
  };
}

function namedExamples(examples: Examples): Record<string, ExampleObject> {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}

export function operationOf(handler: Function): DeclaredOperation | undefined {
  return Reflect.getMetadata(OPERATION, handler) as DeclaredOperation | undefined;
}

const successOf =
  (status: number, usual: readonly HeaderName[]) =>
  (type: Type, description: string, examples: Examples, headers = usual): SuccessResponse => {
    return { status, description, type, headers, examples };
  };

/** A resource, which clients can revalidate and change by its ETag. */
export const resource = successOf(200, ['ETag']);

/** A new resource with its address. */
export const created = successOf(201, ['Location', 'ETag']);

/** A page of a list. @param listName name of the schema of the list */
export function pageOf(type: Type, listName: string, description: string, examples: Examples): SuccessResponse {
  return { status: 200, description, type: [type], listName, headers: ['Link', 'ETag'], examples };
}

export const Heading = DiscoveryService.createDecorator<Readonly<Record<'name' | 'description', string>>>();

/** Puts a controller's operations under a heading of the OpenAPI document. */
export function OperationGroup(name: string, description: string): ClassDecorator {
  return applyDecorators(Heading({ name, description }), ApiTags(name));
}
