import type { OpenAPIObject, OperationObject, ParameterObject, ReferenceObject, ResponseObject, SchemaObject } from '@nestjs/swagger';

type Schema = SchemaObject | ReferenceObject;
type Schemas = Record<string, Schema>;

/*
 * What the scanner of decorators leaves undone, or does in the manner of OpenAPI 3.0.
 */

/** Finishes the schemas that models were scanned into. */
export function finishSchemas({ components }: OpenAPIObject): void {
  for (const schema of Object.values(schemasOf(components)) as (SchemaObject & { 'x-meaning'?: string })[]) {
    const { 'x-meaning': meaning } = schema;
    if (meaning !== undefined) schema.description = meaning;
    delete schema['x-meaning'];
    if (schema.properties === undefined) continue;
    for (const [name, property] of Object.entries(schema.properties)) schema.properties[name] = modern(property);
  }
}

/** Finishes the schemas and examples that belong to one operation. */
export function finishOperation({ components }: OpenAPIObject, { parameters = [], requestBody, responses }: OperationObject): void {
  const schemas = schemasOf(components);
  for (const parameter of parameters) if (!('$ref' in parameter)) placeExample(parameter);
  for (const response of Object.values(responses) as ResponseObject[]) nameList(response, schemas);
  if (requestBody !== undefined && !('$ref' in requestBody)) {
    for (const { schema } of Object.values(requestBody.content)) closeModel(schema, schemas);
  }
}

function schemasOf(components: OpenAPIObject['components']): Schemas {
  return components?.schemas ?? {};
}

/** In 3.1 a reference may have siblings, and the one example of 3.0 gives way to JSON Schema's list. */
function modern(schema: Schema): Schema {
  if ('$ref' in schema) return schema;
  const { allOf, example, ...rest } = schema;
  const [only, ...others] = allOf ?? [];
  const examples = example === undefined ? {} : { examples: [example as unknown] };
  if (only !== undefined && '$ref' in only && others.length === 0) return { $ref: only.$ref, ...rest, ...examples };
  return { ...rest, ...(allOf === undefined ? {} : { allOf }), ...examples };
}

/** An explorer fills in a parameter's own example, which suits what must be given; what filters had better start empty. */
function placeExample(parameter: ParameterObject): void {
  if (parameter.schema === undefined || '$ref' in parameter.schema || parameter.schema.example === undefined) return;
  const { example, ...schema } = parameter.schema;
  if (parameter.required === true) Object.assign(parameter, { schema, example: example as unknown });
  else parameter.schema = { ...schema, examples: [example as unknown] };
}

/** Moves a response's schema that has a title to the components, under that name. */
function nameList({ content = {} }: ResponseObject, schemas: Schemas): void {
  for (const media of Object.values(content)) {
    if (media.schema === undefined || '$ref' in media.schema || media.schema.title === undefined) continue;
    const { title, ...schema } = media.schema;
    schemas[title] = schema;
    media.schema = { $ref: `#/components/schemas/${title}` };
  }
}

/** Unknown fields of request bodies are refused, which a client should know from the schema. */
function closeModel(schema: Schema | undefined, schemas: Schemas): void {
  const name = schema !== undefined && '$ref' in schema ? schema.$ref.split('/').at(-1) : undefined;
  if (name !== undefined) Object.assign(schemas[name] ?? {}, { additionalProperties: false });
}
