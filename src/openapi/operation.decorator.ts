import { applyDecorators, Header, HttpCode, SetMetadata, type Type } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import {
  ApiExtension,
  ApiExtraModels,
  ApiOperation,
  ApiResponse,
  type ApiResponseOptions,
  ApiSecurity,
  type ExampleObject,
  getSchemaPath,
} from '@nestjs/swagger';
import { RequireKey, RequireScope } from '../auth/access.decorators.js';
import type { ErrorCode, OwnErrorCode, Problem } from '../platform/errors/error-codes.js';
import { AddRouteConfig, handlerParameters, parameterErrorsOf } from '../http/requests/handler-metadata.js';
import { isIdempotent } from '../http/idempotency/idempotent.decorator.js';
import { COMMON_HEADERS, type HeaderName, headerReferences } from '../http/response-headers.js';
import { errorsOfOperation, IDEMPOTENCY_ERRORS } from './common-errors.js';

/**
 * What clients can rely on: `stable` operations change only compatibly, `beta` ones with notice, `experimental` ones at
 * any time (specification, section 9).
 */
export type Stability = 'stable' | 'beta' | 'experimental';

/** JSON values by title. */
export type Examples = Readonly<Record<string, unknown>>;

/** The successful response of an operation. */
export interface SuccessResponse {
  readonly status: number;
  readonly description: string;
  /** The class of the body; in brackets for a list. */
  readonly type?: Type | [Type];
  /** Media type of a body that is not JSON, such as `text/csv`; without `type`. */
  readonly contentType?: string;
  /** Name of the schema of a list. Default: no separate schema. */
  readonly listName?: string;
  /** Headers besides those of every response. */
  readonly headers?: readonly HeaderName[];
  readonly examples?: Examples;
}

/** The declaration of an operation, for the guards and for the OpenAPI document. */
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
  /** Errors besides those of every operation and of its parameters. */
  readonly errors?: readonly (ErrorCode | OwnErrorCode | Error | Problem)[];
}

export const API_KEY_SCHEME = 'apiKey';

const OPERATION = 'petstore:operation';
/** Fastify's default. */
const MAX_BODY_LIMIT_BYTES = 1024 * 1024;

export interface DeclaredOperation extends OperationOptions {
  /** All of its errors, including those of every operation. */
  readonly errors: readonly Problem[];
}

/**
 * Declares a route handler as an operation of the API.
 * @throws RangeError if Fastify would refuse smaller bodies
 */
export function Operation(options: OperationOptions): MethodDecorator {
  return (target, name, descriptor) => {
    if (Number(options.bodyLimitBytes) > MAX_BODY_LIMIT_BYTES)
      throw new RangeError(`bodyLimitBytes must not exceed ${MAX_BODY_LIMIT_BYTES}.`);
    const parameters = new Set(handlerParameters(target.constructor, name).map(({ type }) => type));
    const hasBody = parameters.has(RouteParamtypes.BODY);
    const errors = errorsOfOperation(options, hasBody, parameterErrorsOf(descriptor.value as Function));
    declareOperation({ ...options, errors })(target, name, descriptor);
    AddRouteConfig({ takesNoQuery: !parameters.has(RouteParamtypes.QUERY) })(target, name, descriptor);
  };
}

function declareOperation(options: DeclaredOperation): MethodDecorator {
  const { id, summary, description, scope, stability, success, quota, errors, bodyExamples, bodyLimitBytes } = options;
  const config = quota === undefined ? {} : { quota };
  const access = scope === null ? 'Needs no scope.' : `Needs the scope \`${scope}\`.`;
  const needed = `${access}${quota === 'none' ? ' Uses no quota of the plan.' : ''}`;
  const [listed] = Array.isArray(success.type) ? success.type : [];
  // Handlers can return JSON as a string. Without a class, the handler or its result sets the media type.
  const isJson = success.type !== undefined && success.type !== String;
  const contentType = success.contentType ?? (isJson ? 'application/json; charset=utf-8' : undefined);
  return applyDecorators(
    SetMetadata(OPERATION, options),
    scope === null ? RequireKey(config) : RequireScope(scope, config),
    HttpCode(success.status),
    AddRouteConfig({ operation: id, bodyLimitBytes }),
    ...(contentType === undefined ? [] : [Header('content-type', contentType)]),
    ApiExtension('x-stability', stability),
    // OpenAPI 3.1 allows scopes for any security scheme.
    ApiSecurity(API_KEY_SCHEME, scope === null ? [] : [scope]),
    ApiOperation({
      operationId: id,
      summary,
      description: description === undefined ? needed : `${description}\n\n${needed}`,
    }),
    ...(listed === undefined ? [] : [ApiExtraModels(listed)]),
    ApiResponse(successResponse(success)),
    ApiExtension('x-errors', errors),
    ...(bodyExamples === undefined ? [] : [ApiExtension('x-body-examples', namedExamples(bodyExamples))]),
  );
}

export function operationOf(handler: Function): DeclaredOperation | undefined {
  return Reflect.getMetadata(OPERATION, handler) as DeclaredOperation | undefined;
}

/** The errors of an operation, including those of its Idempotency-Key; none if the handler is not an operation. */
export function errorsOf(handler: Function): readonly Problem[] {
  const errors = operationOf(handler)?.errors ?? [];
  return isIdempotent(handler) && errors.length > 0 ? [...errors, ...IDEMPOTENCY_ERRORS] : errors;
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

function successResponse(success: SuccessResponse): ApiResponseOptions {
  const { status, description, type, contentType, listName, headers = [], examples } = success;
  const response = {
    status,
    description,
    headers: headerReferences([...COMMON_HEADERS, ...headers]),
    ...(examples === undefined ? {} : { examples: namedExamples(examples) }),
  };
  const textType = contentType ?? (type === String ? 'text/plain' : undefined);
  if (textType !== undefined) return { ...response, content: { [textType]: { schema: { type: 'string' } } } };
  if (type === undefined) return response;
  if (!Array.isArray(type)) return { ...response, type };
  const name = listName === undefined ? {} : { 'x-list-name': listName };
  return { ...response, schema: { type: 'array', items: { $ref: getSchemaPath(type[0]) }, ...name } };
}

function namedExamples(examples: Examples): Record<string, ExampleObject> {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}
