import { isDeepStrictEqual } from 'node:util';
import type {
  HeaderObject,
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  RequestBodyObject,
  ResponseObject,
} from '@nestjs/swagger';
import { partAt } from './document.js';

type Part = Readonly<Record<string, unknown>>;

/** The service must still accept what clients send, and responses must stay within the documented schema. */
type Direction = 'sent' | 'received';

/** Keywords that programs do not rely on. `if` alone restricts nothing. */
const ANNOTATIONS = new Set(['title', 'description', 'summary', 'example', 'examples', 'if']);

/** Keywords that only narrow a schema. A response schema may add them. */
const BOUNDS = new Set(['format', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems']);

/**
 * Returns the breaking changes between two documents, each with its location. Returns nothing if the new document only
 * adds operations, optional parameters and fields, headers, errors and response fields.
 */
export function breakingChanges(released: OpenAPIObject, current: OpenAPIObject): string[] {
  const [before, now] = [resolved(released), resolved(current)] as [OpenAPIObject, OpenAPIObject];
  return Object.entries(before.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, OperationObject>).flatMap(([method, operation]) => {
      const other = (now.paths[path] as Record<string, OperationObject> | undefined)?.[method];
      const where = `${method} ${path}`;
      return other === undefined
        ? [`${where} is gone`]
        : operationChanges(operation, other).map((change) => `${where}: ${change}`);
    }),
  );
}

function operationChanges(before: OperationObject, now: OperationObject): string[] {
  const marks = ['operationId', 'security', 'x-stability', 'x-sunset', 'tags'] as const;
  const marked = marks.filter(
    (mark) => !isDeepStrictEqual((before as Part & OperationObject)[mark], (now as Part & OperationObject)[mark]),
  );
  return [
    ...marked.map((mark) => `${mark} is another`),
    ...parameterChanges((before.parameters ?? []) as ParameterObject[], (now.parameters ?? []) as ParameterObject[]),
    ...bodyChanges(
      before.requestBody as RequestBodyObject | undefined,
      now.requestBody as RequestBodyObject | undefined,
    ),
    ...Object.entries(before.responses as Record<string, ResponseObject>).flatMap(([status, response]) =>
      responseChanges(response, now.responses[status] as ResponseObject | undefined).map(
        (change) => `${status}: ${change}`,
      ),
    ),
  ];
}

function parameterChanges(before: readonly ParameterObject[], now: readonly ParameterObject[]): string[] {
  const gone = before
    .filter((parameter) => find(now, parameter) === undefined)
    .map(({ name }) => `parameter ${name} is gone`);
  const changed = now.flatMap((parameter) => {
    const earlier = find(before, parameter);
    const isDemanded = parameter.required === true && earlier?.required !== true;
    const schema = earlier === undefined ? [] : schemaChanges(part(earlier.schema), part(parameter.schema), 'sent');
    return [...(isDemanded ? ['is required'] : []), ...schema].map((change) => `parameter ${parameter.name} ${change}`);
  });
  return [...gone, ...changed];
}

function find(all: readonly ParameterObject[], one: ParameterObject): ParameterObject | undefined {
  return all.find((other) => other.name === one.name && other.in === one.in);
}

function bodyChanges(before: RequestBodyObject | undefined, now: RequestBodyObject | undefined): string[] {
  if (before === undefined) return now?.required === true ? ['a body is required'] : [];
  if (now === undefined) return ['the body is gone'];
  return contentChanges(before.content, now.content, 'sent').map((change) => `the body ${change}`);
}

function responseChanges(before: ResponseObject, now: ResponseObject | undefined): string[] {
  if (now === undefined) return ['is gone'];
  const headers = Object.entries(before.headers ?? {}).flatMap(([name, header]) => {
    const [earlier, other] = [header as HeaderObject, now.headers?.[name] as HeaderObject | undefined];
    if (other === undefined) return [`header ${name} is gone`];
    const isLeftOut = earlier.required === true && other.required !== true;
    return [
      ...(isLeftOut ? ['may be missing'] : []),
      ...schemaChanges(part(earlier.schema), part(other.schema), 'received'),
    ].map((change) => `header ${name} ${change}`);
  });
  return [...headers, ...contentChanges(before.content ?? {}, now.content ?? {}, 'received')];
}

type Content = Readonly<Record<string, { readonly schema?: unknown }>>;

function contentChanges(before: Content, now: Content, direction: Direction): string[] {
  return Object.entries(before).flatMap(([type, { schema }]) => {
    const other = now[type];
    return other === undefined ? [`${type} is gone`] : schemaChanges(part(schema), part(other.schema), direction);
  });
}

/** All keywords must be equal, except for compatible additions in requests or in responses. */
function schemaChanges(before: Part, now: Part, direction: Direction): string[] {
  const alternatives = now['anyOf'] as Part[] | undefined;
  if (direction === 'received' && before['anyOf'] === undefined && alternatives !== undefined)
    return alternatives.flatMap((alternative) => schemaChanges(before, alternative, direction));
  const keywords = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (keyword) => !ANNOTATIONS.has(keyword),
  );
  return keywords.flatMap((keyword) => {
    const [earlier, later] = [before[keyword], now[keyword]];
    switch (keyword) {
      case 'properties':
        return Object.entries(part(earlier)).flatMap(([name, schema]) => {
          const other = part(later)[name];
          return other === undefined
            ? [`${name} is gone`]
            : schemaChanges(part(schema), part(other), direction).map((change) => `${name}: ${change}`);
        });
      case 'required':
        return direction === 'sent'
          ? without(later, earlier).map((name) => `${name} is required`)
          : without(earlier, later).map((name) => `${name} may be missing`);
      case 'enum':
        // A new enum narrows a schema that allowed any value.
        if (direction === 'received' && earlier === undefined) return [];
        return direction === 'sent'
          ? without(earlier, later).map((value) => `${value} is no longer accepted`)
          : without(later, earlier).map((value) => `may be ${value}`);
      case 'items':
        return schemaChanges(part(earlier), part(later), direction);
      default:
        return isDeepStrictEqual(earlier, later) || isHarmless(keyword, earlier, now, direction)
          ? []
          : [`${keyword} is ${JSON.stringify(later)} in place of ${JSON.stringify(earlier)}`];
    }
  });
}

/** Response schemas may get narrower. Request schemas may get the format that their bounds imply. */
function isHarmless(keyword: string, earlier: unknown, now: Part, direction: Direction): boolean {
  if (direction === 'sent') {
    const isBounded = now['minimum'] !== undefined && now['maximum'] !== undefined;
    return keyword === 'format' && earlier === undefined && now['format'] === 'int32' && isBounded;
  }
  if (keyword === 'minimum' && typeof earlier === 'number') return Number(now['minimum']) > earlier;
  return earlier === undefined && BOUNDS.has(keyword);
}

function without(list: unknown, other: unknown): string[] {
  const values = new Set((other ?? []) as unknown[]);
  return ((list ?? []) as unknown[]).filter((value) => !values.has(value)).map(String);
}

function part(value: unknown): Part {
  return typeof value === 'object' && value !== null ? (value as Part) : {};
}

/** Returns the document with all references resolved. The document has no circular references. */
function resolved(document: OpenAPIObject): unknown {
  const resolve = (value: unknown): unknown => {
    // Create the array in this realm, because deep equality compares prototypes.
    if (Array.isArray(value)) return Array.from(value, resolve);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...rest } = value as { $ref?: string };
    const own = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, resolve(inner)]));
    return $ref === undefined ? own : { ...part(resolve(partAt(document, $ref))), ...own };
  };
  return resolve(document);
}
