import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { ApiError } from '../errors/index.js';
import { requestOf } from '../http/index.js';
import { operationPart } from '../openapi/index.js';
import { isCanonicalId, isCanonicalInt64 } from './int64.js';

export interface PathIdOptions {
  readonly description: string;
  /** Of something that exists from the start, or that an example of another operation makes. */
  readonly example?: number;
  /** What is answered where nothing can have the identifier, as text that a client made up. */
  readonly notFound: (id: string) => ApiError;
  /** Whether zero and negative ones are identifiers too. */
  readonly isAnyInt64?: boolean;
}

/**
 * Hands a handler an identifier in the path as decimal digits, and documents it. Identifiers have one spelling, so
 * anything else is not found.
 * @param name of the parameter in the path
 */
export function PathId(name: string, { description, example = 1, notFound, isAnyInt64 = false }: PathIdOptions): ParameterDecorator {
  const isCanonical = isAnyInt64 ? isCanonicalInt64 : isCanonicalId;
  const read = (_: unknown, context: ExecutionContext): string => {
    const { [name]: id = '' } = requestOf(context).params as Record<string, string>;
    if (!isCanonical(id)) throw notFound(id);
    return id;
  };
  const schema = { type: 'integer' as const, format: 'int64', ...(isAnyInt64 ? {} : { minimum: 1 }), example };
  return createParamDecorator(read, [operationPart({}, ApiParam({ name, description, schema }))])();
}
