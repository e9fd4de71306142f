import type { ReferenceObject, SchemaObject } from '@nestjs/swagger';

export type Schema = SchemaObject | ReferenceObject;
export type Schemas = Record<string, Schema>;

const INT32_MAX = 2 ** 31 - 1;
/** Length of a time from Date.prototype.toISOString. */
const TIME_LENGTH = 24;

/**
 * Converts a schema of OpenAPI 3.0 from the scanner to OpenAPI 3.1: a reference can have siblings, and `examples` replaces
 * `example`. Integers and times get the bounds of their types.
 */
export function finishedSchema(schema: Schema): Schema {
  if ('$ref' in schema) return schema;
  const { allOf, example, 'x-meaning': meaning, properties, items, ...rest } = schema as SchemaObject & Meaning;
  const finished = {
    ...rest,
    ...bounds(schema),
    ...(meaning === undefined ? {} : { description: meaning }),
    ...(properties === undefined ? {} : { properties: finishedSchemas(properties) }),
    ...(items === undefined ? {} : { items: finishedSchema(items) }),
    ...(example === undefined ? {} : { examples: [example as unknown] }),
  };
  const [only, ...others] = allOf ?? [];
  if (only !== undefined && '$ref' in only && others.length === 0) return { $ref: only.$ref, ...finished };
  return { ...finished, ...(allOf === undefined ? {} : { allOf }) };
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
    allOf: [{ $ref: `#/components/schemas/${parent}` }, finishedSchema(added)],
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

function bounds({ type, format, maximum = Number.MAX_SAFE_INTEGER }: SchemaObject): SchemaObject {
  if (format === 'date-time') return { maxLength: TIME_LENGTH };
  // An int64 has the range of its format, because a JavaScript number cannot express its exact bounds.
  if (type !== 'integer' || format === 'int64') return {};
  return { format: maximum > INT32_MAX ? 'int64' : 'int32', maximum };
}

/** The schema itself, or the one that it refers to. */
export function resolved(schema: Schema, schemas: Schemas): SchemaObject {
  const own = '$ref' in schema ? schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
  return own === undefined || '$ref' in own ? {} : own;
}

/** Declares that request bodies refuse unknown fields, nested ones included. */
export function close(schema: Schema, schemas: Schemas): void {
  const model = resolved(schema, schemas);
  if (model.additionalProperties === false) return;
  if (model.properties !== undefined) model.additionalProperties = false;
  const { properties = {}, items, allOf = [], anyOf = [], oneOf = [] } = model;
  for (const inner of [...Object.values(properties), items, ...allOf, ...anyOf, ...oneOf])
    if (inner !== undefined) close(inner, schemas);
}
