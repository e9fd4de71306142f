import type { ContentObject, ReferenceObject, SchemaObject } from '@nestjs/swagger';

export type Schema = SchemaObject | ReferenceObject;
export type Schemas = Record<string, Schema>;

const INT32_MAX = 2 ** 31 - 1;

/** `x-meaning` describes an enum, whose schema otherwise has the description of the first field that uses it. */
type ScannedSchema = SchemaObject & { readonly 'x-meaning'?: string };

/**
 * Converts a schema of OpenAPI 3.0 from the scanner to OpenAPI 3.1: a reference can have siblings, `examples` replaces
 * `example`, and an exclusive bound is a number. Integers that declare no format or bound get those of their type.
 */
export function convertSchema(schema: Schema): Schema {
  if ('$ref' in schema) return schema;
  const { allOf, example, 'x-meaning': meaning, properties, items, ...rest } = schema as ScannedSchema;
  const { anyOf, oneOf } = rest;
  const converted = {
    ...withBounds(rest),
    ...(meaning !== undefined && { description: meaning }),
    ...(properties && { properties: mapValues(properties, convertSchema) }),
    ...(items && { items: convertSchema(items) }),
    ...(anyOf && { anyOf: anyOf.map(convertSchema) }),
    ...(oneOf && { oneOf: oneOf.map(convertSchema) }),
    ...(example !== undefined && { examples: [example as unknown] }),
  };
  if (allOf === undefined) return converted;
  const [only, ...others] = allOf;
  const isReference = only !== undefined && '$ref' in only && others.length === 0;
  return isReference ? { $ref: only.$ref, ...converted } : { ...converted, allOf: allOf.map(convertSchema) };
}

/** Removes the examples of fields, except where an operation has no example of the whole body. */
export function withoutExamples(schemas: Schemas, contents: readonly ContentObject[]): Schemas {
  const needed = new Set<string>();
  const need = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part ?? '').matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (needed.has(name)) continue;
      needed.add(name);
      need(schemas[name]);
    }
  };
  for (const content of contents) {
    const media = Object.values(content);
    if (media.every(({ example, examples }) => example === undefined && examples === undefined)) need(media);
  }
  return mapValues(schemas, (schema, name) => (needed.has(name) ? schema : withoutOwnExamples(schema)));
}

function withoutOwnExamples(schema: Schema): Schema {
  const { examples: _, properties, ...rest } = schema as SchemaObject;
  return { ...rest, ...(properties && { properties: mapValues(properties, withoutOwnExamples) }) };
}

/**
 * Names the values of an enum (`x-enum-varnames`) if an earlier enum has one of them too, because generators for Go declare the
 * values of all enums in one package.
 */
export function nameSharedValues(schemas: Schemas): Schemas {
  const taken = new Set<string>();
  return mapValues(schemas, (schema, name) => {
    const names = 'enum' in schema ? (schema.enum ?? []).map((value) => constantName(String(value))) : [];
    const areOwn = names.every((one) => !taken.has(one));
    for (const one of names) taken.add(one);
    return areOwn ? schema : { ...schema, 'x-enum-varnames': names.map((one) => `${constantName(name)}_${one}`) };
  });
}

function constantName(text: string): string {
  const words = text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').match(/[a-z0-9]+/gi) ?? ['all'];
  return words.join('_').toUpperCase();
}

export function mapValues(schemas: Schemas, change: (schema: Schema, name: string) => Schema): Schemas {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema, name)]));
}

/** In OpenAPI 3.0, `exclusiveMinimum: true` makes `minimum` exclusive; in 3.1, `exclusiveMinimum` is the bound itself. */
function withBounds({ exclusiveMinimum, exclusiveMaximum, ...schema }: SchemaObject): object {
  const { type, format, minimum, maximum = Number.MAX_SAFE_INTEGER } = schema;
  return {
    ...schema,
    // An int64 has the range of its format, because a JavaScript number cannot express its exact bounds.
    ...(type === 'integer' && !format && { format: maximum > INT32_MAX ? 'int64' : 'int32', maximum }),
    ...(exclusiveMinimum && { minimum: undefined, exclusiveMinimum: minimum }),
    ...(exclusiveMaximum && { maximum: undefined, exclusiveMaximum: maximum }),
  };
}

export function resolve(schema: Schema, schemas: Schemas): SchemaObject {
  const own = '$ref' in schema ? schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
  return own === undefined || '$ref' in own ? {} : own;
}

/** Declares that request bodies refuse unknown fields, nested ones included. */
export function refuseUnknownFields(schema: Schema, schemas: Schemas): void {
  const model = resolve(schema, schemas);
  const { properties, items, allOf, anyOf = [], oneOf = [] } = model;
  const isCombined = allOf !== undefined || (properties !== undefined && anyOf.length + oneOf.length > 0);
  // Each part would refuse the fields of the others.
  if (isCombined || model.additionalProperties !== undefined) return;
  if (properties !== undefined) model.additionalProperties = false;
  for (const inner of [...Object.values(properties ?? {}), items, ...anyOf, ...oneOf])
    if (inner !== undefined) refuseUnknownFields(inner, schemas);
}
