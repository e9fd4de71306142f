import { applyDecorators, Header, HttpCode, SetMetadata, type Type } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { ErrorCode } from '../errors/index.js';
import { type Stability, StabilityMarker } from '../lifecycle/index.js';
import { errorResponses } from './error-responses.js';
import { COMMON_HEADERS, type HeaderName, headerReferences } from './headers.js';

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
    readonly type?: Type | [Type];
    readonly headers?: readonly HeaderName[];
    /** Answers as they look on the wire, by name. */
    readonly examples?: Readonly<Record<string, unknown>>;
  };
  /** Error codes beyond those that every operation can answer. */
  readonly errors: readonly ErrorCode[];
}

/** Who may call a route: anybody, or a key with a scope. */
export type Requirement = 'public' | { readonly scope: string };

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
  const { id, summary, description, scope, stability, success, errors } = options;
  return applyDecorators(
    SetMetadata(OPERATION, options),
    SetMetadata(REQUIREMENT, { scope } satisfies Requirement),
    HttpCode(success.status),
    // Handlers may return JSON that is a string already.
    Header('Content-Type', 'application/json; charset=utf-8'),
    StabilityMarker(stability),
    ApiBearerAuth('apiKey'),
    ApiOperation({ operationId: id, summary, ...(description === undefined ? {} : { description }) }),
    ApiResponse({
      status: success.status,
      description: success.description,
      headers: headerReferences([...COMMON_HEADERS, ...(success.headers ?? [])]),
      ...(success.type === undefined ? {} : { type: success.type }),
      ...(success.examples === undefined ? {} : { examples: named(success.examples) }),
    }),
    ...errorResponses([...COMMON_ERRORS, ...errors]).map((response) => ApiResponse(response)),
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

function named(examples: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(examples).map(([summary, value]) => [summary.replaceAll(/\W+/g, '-'), { summary, value }]));
}
