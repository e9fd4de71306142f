import type { OpenAPIObject, OperationObject, ParameterObject, ReferenceObject, ResponseObject } from '@nestjs/swagger';
import type { TestApp } from '../../src/testing/index.js';

export interface Documented {
  /** The path template, with parameters in braces. */
  readonly path: string;
  /** In lower case. */
  readonly method: string;
  readonly operation: OperationObject & { readonly 'x-stability'?: string; readonly 'x-sunset'?: string };
  readonly parameters: readonly ParameterObject[];
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export async function fetchDocument(service: Pick<TestApp, 'request'>): Promise<OpenAPIObject> {
  return (await (await service.request('/openapi.json')).json()) as OpenAPIObject;
}

export function operationsOf(document: OpenAPIObject): Documented[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, OperationObject>).map(([method, operation]) => {
      const responses = Object.entries(operation.responses as Record<string, ResponseObject | ReferenceObject>);
      return {
        path,
        method,
        operation,
        parameters: (operation.parameters ?? []).map((parameter) => resolved(document, parameter)),
        responses: Object.fromEntries(responses.map(([status, response]) => [status, resolved(document, response)])),
      };
    }),
  );
}

/** @throws Error if the document has no such operation */
export function operationNamed(document: OpenAPIObject, id: string): Documented {
  const found = operationsOf(document).find(({ operation }) => operation.operationId === id);
  if (found === undefined) throw new Error(`The document has no operation ${id}.`);
  return found;
}

/**
 * Resolves a part of the document if it is a reference.
 * @throws Error if the document has no such part
 */
export function resolved<Part extends object>(document: OpenAPIObject, part: Part | ReferenceObject): Part {
  if (!('$ref' in part)) return part;
  const found = partAt(document, part.$ref);
  if (found === undefined) throw new Error(`The document has no ${part.$ref}.`);
  return resolved(document, found as Part | ReferenceObject);
}

/** @param pointer such as the value of `$ref` */
export function partAt(document: OpenAPIObject, pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  return names.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document);
}
