import type { OpenAPIObject, ReferenceObject, ResponseObject } from '@nestjs/swagger';
import { errorObject, problem } from '../../http/index.js';
import { ERROR_CODES, type ErrorCode } from '../../platform/index.js';

/** An example of the Error of each code: as an operation documents it, otherwise with the meaning of the code. */
export function errorExamples({ paths, components }: OpenAPIObject): Map<string, object> {
  const examples = new Map<string, object>();
  const operations = Object.values(paths).flatMap((path) => Object.values(path) as { responses?: object }[]);
  const responses = [components, ...operations].flatMap(
    (holder) => Object.values(holder?.responses ?? {}) as (ResponseObject | ReferenceObject)[],
  );
  for (const response of responses) {
    if (!('content' in response)) continue;
    const { example, examples: named = {} } = response.content?.['application/json'] ?? {};
    const values = [
      example,
      ...Object.values(named).map((one) => ('value' in one ? (one.value as unknown) : undefined)),
    ];
    for (const value of values) if (isError(value) && !examples.has(value.code)) examples.set(value.code, value);
  }
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[])
    if (!examples.has(code)) examples.set(code, errorObject(problem(code, ERROR_CODES[code].meaning)));
  return examples;
}

function isError(value: unknown): value is { readonly code: string } {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value;
}
