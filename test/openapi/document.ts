import type { OpenAPIObject, OperationObject, ResponseObject } from '@nestjs/swagger';
import type { TestApp } from '../support/app.js';

/** An operation of the document, and where it stands there. */
export interface Documented {
  /** As in the document, with parameters in braces. */
  readonly path: string;
  /** In lower case. */
  readonly method: string;
  readonly operation: OperationObject & { readonly 'x-stability'?: string; readonly 'x-sunset'?: string };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export async function fetchDocument(service: TestApp): Promise<OpenAPIObject> {
  return (await (await service.request('/openapi.json')).json()) as OpenAPIObject;
}

/** All operations of a document. */
export function operationsOf({ paths }: OpenAPIObject): Documented[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, OperationObject>).map(([method, operation]) => {
      return { path, method, operation, responses: operation.responses as Record<string, ResponseObject> };
    }),
  );
}

/** @throws Error when the document has no such operation */
export function operationNamed(document: OpenAPIObject, id: string): Documented {
  const found = operationsOf(document).find(({ operation }) => operation.operationId === id);
  if (found === undefined) throw new Error(`The document has no operation ${id}.`);
  return found;
}
