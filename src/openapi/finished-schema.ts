import type { ReferenceObject, SchemaObject } from '@nestjs/swagger';

export type Schema = SchemaObject | ReferenceObject;
export type Schemas = Record<string, Schema>;

const INT32_MAX = 2 ** 31 - 1;
/** Of a time as Date.prototype.toISOString writes it. */
const TIME_LENGTH = 24;

/**
 * A schema as OpenAPI 3.1 has it, where the scanner writes that of 3.0: a reference may have siblings, and `example` gives way
 * to `examples`. Integers and times get the bounds that their type has.
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

/** A schema with `x-extends`, the name of another one, adds its own fields to the fields of that. */
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

/** Bodies have examples as a whole, where operations use them. */
function withoutExamples(schema: Schema): Schema {
  if ('$ref' in schema) return schema;
  const { examples: _, ...rest } = schema;
  return rest;
}

/** Of a set of words, whose schema has the description of the field that the scanner met first. */
interface Meaning {
  readonly 'x-meaning'?: string;
}

function bounds({ type, format, maximum = Number.MAX_SAFE_INTEGER }: SchemaObject): SchemaObject {
  if (format === 'date-time') return { maxLength: TIME_LENGTH };
  // An int64 in which every digit counts has the range of its format, which a number cannot spell.
  if (type !== 'integer' || format === 'int64') return {};
  return { format: maximum > INT32_MAX ? 'int64' : 'int32', maximum };
}

/** Has request bodies refuse unknown fields, nested ones too. */
export function close(schema: Schema, schemas: Schemas): void {
  const model = '$ref' in schema ? schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
  if (model === undefined || '$ref' in model || model.additionalProperties === false) return;
  if (model.properties !== undefined) model.additionalProperties = false;
  const { properties = {}, items, allOf = [], anyOf = [], oneOf = [] } = model;
  for (const inner of [...Object.values(properties), items, ...allOf, ...anyOf, ...oneOf])
    if (inner !== undefined) close(inner, schemas);
}
