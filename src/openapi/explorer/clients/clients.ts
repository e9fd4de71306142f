import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject, OperationObject } from '@nestjs/swagger';
import { WITHOUT_QUOTA } from '../../operation.decorator.js';
import type { Field, Language } from './language.js';
import { PYTHON } from './python.js';
import { TYPESCRIPT } from './typescript.js';

type Schema = Readonly<Record<string, unknown>>;
type Content = Readonly<{ content?: Record<string, { schema?: Schema }>; headers?: object; required?: boolean }>;
type Parameter = Readonly<{ name: string; in: string; required?: boolean; explode?: boolean; schema?: Schema }>;

const LANGUAGES = { ts: TYPESCRIPT, py: PYTHON } satisfies Record<string, Language>;

const lastOf = ($ref: string) => $ref.replace(/.*\//, '');

/** A client in one file, typed, with a method for each operation whose bodies are JSON. Its fixed part is a template. */
export function clientOf(
  { info, paths, components }: OpenAPIObject,
  extension: keyof typeof LANGUAGES,
  baseUrl: string,
): string {
  const language = LANGUAGES[extension];
  const declared = new Map<string, string>();
  const fieldsOf = ({ properties, required = [] }: Schema) =>
    Object.entries(properties as object).map(([field, schema]): Field => [
      field,
      typeOf(schema),
      (required as string[]).includes(field),
    ]);

  function typeOf(schema: Schema = {}): string {
    const { $ref, type = 'any', format, enum: values, anyOf, oneOf = anyOf } = schema;
    if (typeof $ref === 'string') return declare(lastOf($ref));
    if (Array.isArray(values)) return language.literal(values);
    if (Array.isArray(oneOf)) return oneOf.map(typeOf).join(' | ');
    if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(' | ');
    if (type === 'array') return language.list(typeOf(schema['items'] as Schema));
    return language.types[format === 'int32' ? format : String(type)] ?? '';
  }

  /** Objects have a name. Other types are written where they are used. */
  function declare(type: string): string {
    const schema = (components?.schemas?.[type] ?? {}) as Schema;
    if (schema['properties'] === undefined) return typeOf(schema);
    // Before its fields, which can be of this type.
    if (!declared.has(type)) declared.set(type, '').set(type, language.declare(type, fieldsOf(schema)));
    return type;
  }

  const methods = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations as Record<string, OperationObject>).flatMap(([verb, operation]) => {
      const { operationId: id = '', parameters = [], requestBody = {}, responses } = operation;
      const given = parameters.map(
        (one) => ('$ref' in one ? components?.parameters?.[lastOf(one.$ref)] : one) as Parameter,
      );
      const fields = (place: string) =>
        given
          .filter((one) => one.in === place)
          .map(({ name, schema, required = false }): Field => [name, typeOf(schema), required]);
      const { content, required = false } = requestBody as Content;
      const json = content?.['application/json'];
      if (content !== undefined && json === undefined) return [];
      const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1] as Content | undefined;
      const schema = success?.content?.['application/json']?.schema;
      if (success?.content !== undefined && schema === undefined) return [];
      const $ref = schema?.['$ref'];
      const list = typeof $ref === 'string' ? components?.schemas?.[lastOf($ref)] : schema;
      const items = (list as Schema | undefined)?.['items'] as Schema | undefined;
      return language.method({
        id,
        verb: verb.toUpperCase(),
        path,
        inPath: fields('path'),
        query: fields('query'),
        joined: given
          .filter((one) => one.in === 'query' && one.explode === false && one.schema?.['type'] === 'array')
          .map(({ name }) => name),
        body: json === undefined ? [] : [['body', typeOf(json.schema), required]],
        takesIdempotencyKey: given.some((one) => one.name === 'Idempotency-Key'),
        usesQuota: operation.description?.includes(WITHOUT_QUOTA) !== true,
        result: schema === undefined ? (language.types['nothing'] ?? '') : typeOf(schema),
        items: items !== undefined && 'Link' in (success?.headers ?? {}) ? typeOf(items) : undefined,
      });
    }),
  );
  const texts: Readonly<Record<string, string>> = {
    title: info.title,
    baseUrl,
    types: [...declared.values()].join('\n'),
    methods: methods.join('\n'),
  };
  const template = readFileSync(join(import.meta.dirname, `../browser/clients/client.${extension}.template`), 'utf8');
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, text: string) => texts[text] ?? '');
}
