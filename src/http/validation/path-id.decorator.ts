import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { DomainError } from '../../platform/errors/domain-error.js';
import { ApiError } from '../errors/problem.js';
import { requestOf } from '../requests/request.js';
import { documentParameter } from '../requests/handler-metadata.js';
import { ID_RANGE, INT64_RANGE } from './fields.js';
import { isCanonicalId, isCanonicalInt64 } from '../json/int64.js';

export interface PathIdOptions {
  readonly description: string;
  /** Of something that exists from the start, or that the example of another operation creates. */
  readonly example?: number;
  /** The error for an impossible identifier. It does not quote the client's text, which may contain an API key. */
  readonly notFound: () => DomainError | ApiError;
  /** Whether zero and negative numbers are identifiers too. */
  readonly isAnyInt64?: boolean;
}

/**
 * Injects an identifier in the path as decimal digits, and documents it. Only the canonical form is an identifier; anything
 * else is not found.
 */
export function PathId(
  name: string,
  { description, example = 1, notFound, isAnyInt64 = false }: PathIdOptions,
): ParameterDecorator {
  const isCanonical = isAnyInt64 ? isCanonicalInt64 : isCanonicalId;
  const read = (_: unknown, context: ExecutionContext): string => {
    const { [name]: id = '' } = requestOf(context).params as Record<string, string>;
    if (isCanonical(id)) return id;
    const error = notFound();
    const message = `${error.message} It must be ${isAnyInt64 ? INT64_RANGE : ID_RANGE}.`;
    throw error instanceof ApiError ? ApiError.of({ ...error.problem, message }) : new DomainError(error.code, message);
  };
  const schema = { type: 'integer' as const, format: 'int64', ...(isAnyInt64 ? {} : { minimum: 1 }), example };
  return createParamDecorator(read, [documentParameter(ApiParam({ name, description, schema }))])();
}
