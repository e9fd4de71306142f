import type { Type } from '@nestjs/common';
import type { HeaderName } from '../http/index.js';
import type { Examples, SuccessResponse } from './operation.decorator.js';

/** A resource, which clients can revalidate and change by its ETag. */
export function resource(
  type: Type,
  description: string,
  examples: Examples,
  headers: readonly HeaderName[] = ['ETag'],
): SuccessResponse {
  return { status: 200, description, type, headers, examples };
}

/** A new resource with its address. */
export function created(
  type: Type,
  description: string,
  examples: Examples,
  headers: readonly HeaderName[] = ['Location', 'ETag'],
): SuccessResponse {
  return { status: 201, description, type, headers, examples };
}

/** A page of a list. @param listName name of the schema of the list */
export function pageOf(type: Type, listName: string, description: string, examples: Examples): SuccessResponse {
  return { status: 200, description, type: [type], listName, headers: ['Link', 'ETag'], examples };
}
