import { applyDecorators, Header, HttpCode, SetMetadata, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, type ApiResponseOptions, ApiSecurity, getSchemaPath } from '@nestjs/swagger';
import type { ErrorCode, OwnErrorCode } from '../errors/index.js';
import { RouteFact } from '../http/index.js';
import { type Stability, StabilityMarker } from '../lifecycle/index.js';
import { errorResponses } from './error-responses.js';
import { COMMON_HEADERS, type HeaderName, headerReferences } from './headers.js';
import { type Examples, namedExamples } from './named-examples.js';
import { partsOf } from './operation-part.js';

/** Everything that is said of an operation, once, for both the guards and the OpenAPI document. */
export interface OperationOptions {
  /** `operationId`: a verb and a noun in camel case, unique. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** The scope that a key needs. */
  readonly scope: string;
  readonly stability: Stability;
  /** The successful answer. */
  readonly success: {
    readonly status: number;
    readonly description: string;
    /** The body; a list where it is in brackets. */
    readonly type?: Type | [Type];
    /** Name of the schema of a list, which stays anonymous without. */
    readonly listName?: string;
    readonly headers?: readonly HeaderName[];
    /** Bodies as they look on the wire, by what they show. */
    readonly examples?: Examples;
  };
  /**
   * `none` for an operation that takes nothing from the plan's windows, and is there for exhausted accounts and banned
   * keys too.
   */
  readonly quota?: 'none';
  /** Errors beyond those that every operation can answer, and those that its parameters bring along. */
  readonly errors: readonly (ErrorCode | OwnErrorCode)[];
}

/** Who may call a route: anybody, or a key with a scope. */
export type Requirement = 'public' | { readonly scope: string };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** As the route's operation declares it. */
    quota?: 'none';
  }
}

/** Name of the one security scheme: a bearer API key. */
export const API_KEY_SCHEME = 'apiKey';

const OPERATION = 'petstore:operation';
const REQUIREMENT = 'petstore:requirement';

/** Codes that every operation can answer. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'api_key_expired',
  'api_key_revoked',
  'insufficient_scope',
  'validation_failed',
  'rate_limit_exceeded',
  'api_key_banned',
  'internal_error',
  'service_unavailable',
];

/** Declares a route handler as an operation of the API. */
export function Operation(options: OperationOptions): MethodDecorator {
  return (target, name, descriptor) => {
    const errorsOfParts = partsOf(descriptor.value as Function).flatMap(({ errors = [] }) => errors);
    declareOperation({ ...options, errors: [...options.errors, ...errorsOfParts] })(target, name, descriptor);
  };
}

function declareOperation(options: OperationOptions): MethodDecorator {
  const { id, summary, description, scope, stability, success, quota, errors } = options;
  const needed = `Needs the scope \`${scope}\`.${quota === 'none' ? ' Takes nothing from the plan.' : ''}`;
  const common = quota === 'none' ? COMMON_ERRORS.filter((code) => code !== 'api_key_banned') : COMMON_ERRORS;
  const [listed] = Array.isArray(success.type) ? success.type : [];
  return applyDecorators(
    SetMetadata(OPERATION, options),
    SetMetadata(REQUIREMENT, { scope } satisfies Requirement),
    HttpCode(success.status),
    // Handlers may return JSON that is a string already.
    ...(success.status === 204 ? [] : [Header('content-type', 'application/json; charset=utf-8')]),
    ...(quota === undefined ? [] : [RouteFact({ quota })]),
    StabilityMarker(stability),
    // OpenAPI 3.1 lets any scheme name the roles that an operation needs; the words are for people.
    ApiSecurity(API_KEY_SCHEME, [scope]),
    ApiOperation({ operationId: id, summary, description: description === undefined ? needed : `${description}\n\n${needed}` }),
    ...(listed === undefined ? [] : [ApiExtraModels(listed)]),
    ApiResponse(successResponse(success)),
    ...errorResponses([...common, ...errors]).map((response) => ApiResponse(response)),
  );
}

/** Declares a route that is no part of the versioned API and needs no key. */
export function Public(): MethodDecorator {
  return SetMetadata(REQUIREMENT, 'public' satisfies Requirement);
}

export function operationOf(handler: Function): OperationOptions | undefined {
  return Reflect.getMetadata(OPERATION, handler) as OperationOptions | undefined;
}

export function requirementOf(handler: Function): Requirement | undefined {
  return Reflect.getMetadata(REQUIREMENT, handler) as Requirement | undefined;
}

function successResponse({ status, description, type, listName, headers = [], examples }: OperationOptions['success']): ApiResponseOptions {
  const answer = {
    status,
    description,
    headers: headerReferences([...COMMON_HEADERS, ...headers]),
    ...(examples === undefined ? {} : { examples: namedExamples(examples) }),
  };
  if (type === undefined) return answer;
  if (!Array.isArray(type)) return { ...answer, type };
  const list = { type: 'array', items: { $ref: getSchemaPath(type[0]) } };
  return { ...answer, schema: listName === undefined ? list : { ...list, title: listName } };
}
