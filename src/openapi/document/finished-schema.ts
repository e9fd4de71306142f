import type { ReferenceObject, SchemaObject } from '@nestjs/swagger';

export type Schema = SchemaObject | ReferenceObject;
export type Schemas = Record<string, Schema>;

const INT32_MAX = 2 ** 31 - 1;
/** Length of a time from Date.prototype.toISOString. */
const TIME_LENGTH = 24;

/**
 * Converts a schema of OpenAPI 3.0 from the scanner to OpenAPI 3.1: a reference can have siblings, `examples` replaces
 * `example`, and an exclusive bound is a number. Integers and times that declare no format or bound get those of their type.
 */
export function finishedSchema(schema: Schema): Schema {
  if ('$ref' in schema) return schema;
  const { allOf, example, 'x-meaning': meaning, properties, items, ...rest } = schema as SchemaObject & Meaning;
  const { anyOf, oneOf } = rest;
  const finished = {
    ...withExclusiveBounds({ ...rest, ...bounds(rest) }),
    ...(meaning === undefined ? {} : { description: meaning }),
    ...(properties === undefined ? {} : { properties: finishedSchemas(properties) }),
    ...(items === undefined ? {} : { items: finishedSchema(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(finishedSchema) }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map(finishedSchema) }),
    ...(example === undefined ? {} : { examples: [example as unknown] }),
  };
  const [only, ...others] = allOf ?? [];
  if (only !== undefined && '$ref' in only && others.length === 0) return { $ref: only.$ref, ...finished };
  return { ...finished, ...(allOf === undefined ? {} : { allOf: allOf.map(finishedSchema) }) };
}

export function finishedSchemas(schemas: Schemas): Schemas {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      withoutExamples(finishedSchema(withoutInherited(schema, schemas))),
    ]),
  );
}

/** A schema with `x-extends`, the name of another schema, extends it by its own fields. */
function withoutInherited(schema: Schema & Parent, schemas: Schemas): Schema {
  const { 'x-extends': parent = '', ...own } = schema;
  const { [parent]: inherited } = schemas;
  if (inherited === undefined || '$ref' in inherited || '$ref' in own) return own;
  const { description, properties = {}, required = [], ...rest } = own;
  const isOwn = (name: string) => !(name in (inherited.properties ?? {}));
  const added = {
    ...rest,
    required: required.filter(isOwn),
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isOwn(name))),
  };
  return {
    ...(description === undefined ? {} : { description }),
    allOf: [{ $ref: `#/components/schemas/${parent}` }, added],
  };
}

interface Parent {
  readonly 'x-extends'?: string;
}

/** Removes the examples of fields, because operations have examples of whole bodies. */
function withoutExamples(schema: Schema): Schema {
  if ('$ref' in schema) return schema;
  const { examples: _, ...rest } = schema;
  return rest;
}

/** The meaning of an enum, whose schema otherwise has the description of the first field that uses it. */
interface Meaning {
  readonly 'x-meaning'?: string;
}

function bounds({
  type,
  format,
  maximum = Number.MAX_SAFE_INTEGER,
  maxLength = TIME_LENGTH,
}: SchemaObject): SchemaObject {
  if (format === 'date-time') return { maxLength };
  // An int64 has the range of its format, because a JavaScript number cannot express its exact bounds.
  if (type !== 'integer' || format !== undefined) return {};
  return { format: maximum > INT32_MAX ? 'int64' : 'int32', maximum };
}

/** In OpenAPI 3.0, `exclusiveMinimum: true` makes `minimum` exclusive; in 3.1, `exclusiveMinimum` is the bound itself. */
function withExclusiveBounds(schema: SchemaObject): SchemaObject {
  const names = new Map<string, string>();
  if (schema.exclusiveMinimum === true) names.set('minimum', 'exclusiveMinimum');
  if (schema.exclusiveMaximum === true) names.set('maximum', 'exclusiveMaximum');
  const entries = Object.entries(schema)
    .filter(([name, value]) => !name.startsWith('exclusive') || typeof value !== 'boolean')
    .map(([name, value]): [string, unknown] => [names.get(name) ?? name, value]);
  return Object.fromEntries(entries) as SchemaObject;
}

/** The schema itself, or the one that it refers to. */
export function resolved(schema: Schema, schemas: Schemas): SchemaObject {
  const own = '$ref' in schema ? schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
  return own === undefined || '$ref' in own ? {} : own;
}

/** Declares that request bodies refuse unknown fields, nested ones included. */
export function close(schema: Schema, schemas: Schemas): void {
  const model = resolved(schema, schemas);
  const { properties, items, allOf, anyOf = [], oneOf = [] } = model;
  const isCombined = allOf !== undefined || (properties !== undefined && anyOf.length + oneOf.length > 0);
  // Each part would refuse the fields of the others.
  if (isCombined || model.additionalProperties !== undefined) return;
  if (properties !== undefined) model.additionalProperties = false;
  for (const inner of [...Object.values(properties ?? {}), items, ...anyOf, ...oneOf])
    if (inner !== undefined) close(inner, schemas);
}
