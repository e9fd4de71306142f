import type { Type } from '@nestjs/common';
import type { HeaderName } from '../http/index.js';
import type { Examples, SuccessResponse } from './operation.decorator.js';

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
