import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject, OperationObject } from '@nestjs/swagger';

type Schema = Readonly<Record<string, unknown>>;
type Content = Readonly<{ content?: Record<string, { schema?: Schema }>; headers?: object; required?: boolean }>;
type Parameter = Readonly<{ name: string; in: string; required?: boolean; schema?: Schema }>;
type Field = readonly [name: string, type: string, isRequired: boolean];

interface Method {
  readonly id: string;
  readonly verb: string;
  readonly path: string;
  readonly inPath: readonly Field[];
  readonly query: readonly Field[];
  /** None or one. */
  readonly body: readonly Field[];
  readonly takesIdempotencyKey: boolean;
  readonly result: string;
  /** The type of its items, if the result is a list that has pages. */
  readonly items: string | undefined;
}

/** How a language writes the types of JSON, the declaration of one, and a method that calls an operation. */
interface Language {
  readonly types: Readonly<Record<string, string>>;
  readonly literal: (values: readonly unknown[]) => string;
  readonly list: (item: string) => string;
  readonly declare: (name: string, fields: readonly Field[]) => string;
  readonly method: (method: Method) => string;
}

const inTs = ([name, type, isRequired]: Field) =>
  `${/^\w+$/.test(name) ? name : `'${name}'`}${isRequired ? '' : '?'}: ${type}`;
const snake = (name: string) =>
  name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .toLowerCase()
    .replaceAll(/\W/g, '_')
    .replace(/^(?:from|in|is|as|class)$/, '$&_');
const inPy = ([name, type, isRequired]: Field) => `${snake(name)}: ${type}${isRequired ? '' : ' | None = None'}`;

const lastOf = ($ref: string) => $ref.replace(/.*\//, '');

const LANGUAGES = {
  ts: {
    types: {
      string: 'string',
      integer: 'Int',
      int32: 'number',
      number: 'number',
      boolean: 'boolean',
      null: 'null',
      object: 'Record<string, unknown>',
      any: 'unknown',
      nothing: 'void',
    },
    literal: (values) => values.map((value) => JSON.stringify(value)).join(' | '),
    list: (item) => `Array<${item}>`,
    declare: (name, fields) => `export type ${name} = { ${fields.map(inTs).join('; ')} };`,
    method({ id, verb, path, inPath, query, body, takesIdempotencyKey, result, items }) {
      const at = `path\`${path.replaceAll('{', '${')}\``;
      const asked =
        query.length === 0
          ? []
          : [`query: { ${query.map(inTs).join('; ')} }${query.some((one) => one[2]) ? '' : ' = {}'}`];
      const head = `  ${id}(${[...[...inPath, ...body].map(inTs), ...asked, 'options?: Options'].join(', ')})`;
      if (items !== undefined)
        return `${head} { return this.#pages<${items}>(${at}, ${asked.length === 0 ? '{}' : 'query'}, options); }`;
      const call = [
        '...options',
        ...body.map(() => 'body'),
        ...asked.map(() => 'search: searchOf(query)'),
        ...(takesIdempotencyKey ? ['isMarked: true'] : []),
      ];
      return `${head} { return this.#call<${result}>('${verb}', ${at}, { ${call.join(', ')} }); }`;
    },
  },
  py: {
    types: {
      string: 'str',
      integer: 'int',
      int32: 'int',
      number: 'float',
      boolean: 'bool',
      null: 'None',
      object: 'dict[str, Any]',
      any: 'Any',
      nothing: 'None',
    },
    literal: (values) => `Literal['${values.join("', '")}']`,
    list: (item) => `list[${item}]`,
    declare(name, fields) {
      const types = fields.map(
        ([field, type, isRequired]) => `"${field}": ${isRequired ? `"${type}"` : `NotRequired["${type}"]`}`,
      );
      return `${name} = TypedDict("${name}", {${types.join(', ')}})`;
    },
    method({ id, verb, path, inPath, query, body, takesIdempotencyKey, result, items }) {
      const at = `f"${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{_part(${snake(name)})}`)}"`;
      const asked = `{${query.map(([name]) => `"${name}": ${snake(name)}`).join(', ')}}`;
      const accepted = [
        'self',
        ...[...inPath, ...body].map(inPy),
        ...(query.length === 0 ? [] : ['*', ...query.map(inPy)]),
        '**options: Unpack[Options]',
      ];
      const head = `    def ${snake(id)}(${accepted.join(', ')})`;
      if (items !== undefined) return `${head} -> Iterator[${items}]: return self._pages(${at}, ${asked}, options)`;
      const call = [
        `"${verb}", ${at}, options`,
        ...(query.length === 0 ? [] : [`query=${asked}`]),
        ...body.map(() => 'body=body'),
        ...(takesIdempotencyKey ? ['marked=True'] : []),
      ];
      return `${head} -> ${result}: return self._send(${call.join(', ')})[0]`;
    },
  },
} satisfies Record<string, Language>;

/** A client in one file, typed, with a method for each operation whose body is JSON. Its fixed part is a template. */
export function clientOf(
  { info, paths, components }: OpenAPIObject,
  extension: keyof typeof LANGUAGES,
  baseUrl: string,
): string {
  const language: Language = LANGUAGES[extension];
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
      const $ref = schema?.['$ref'];
      const list = typeof $ref === 'string' ? components?.schemas?.[lastOf($ref)] : schema;
      const items = (list as Schema | undefined)?.['items'] as Schema | undefined;
      return language.method({
        id,
        verb: verb.toUpperCase(),
        path,
        inPath: fields('path'),
        query: fields('query'),
        body: json === undefined ? [] : [['body', typeOf(json.schema), required]],
        takesIdempotencyKey: given.some((one) => one.name === 'Idempotency-Key'),
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
  const template = readFileSync(join(import.meta.dirname, `browser/clients/client.${extension}.template`), 'utf8');
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, text: string) => texts[text] ?? '');
}
