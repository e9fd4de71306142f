import type { HeaderObject, OpenAPIObject, ReferenceObject, SchemaObject } from '@nestjs/swagger';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { operationNamed, resolved } from './document.js';

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Headers of HTTP, caches and browsers. The document describes them once for all responses. */
const TRANSPORT = new Set([
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'vary',
  'ratelimit',
  'ratelimit-policy',
  'x-content-type-options',
]);

export class Contract {
  private readonly ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    allErrors: true,
    formats: {
      int32: Number.isInteger,
      int64: Number.isInteger,
      'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
      'uri-reference': true,
      uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
    },
  });

  constructor(private readonly document: OpenAPIObject) {
    this.ajv.addSchema(document, 'document');
  }

  /** Returns how a response deviates from the document. Empty if it conforms. */
  faults(operationId: string, { status, headers, text }: ReceivedResponse): string[] {
    const response = operationNamed(this.document, operationId).responses[status];
    if (response === undefined) return [`status ${status} is not documented`];
    const documented = new Map(
      Object.entries(response.headers ?? {}).map(([name, header]) => [
        name.toLowerCase(),
        resolved(this.document, header),
      ]),
    );
    const undocumented = [...headers.keys()].filter((name) => !TRANSPORT.has(name) && !documented.has(name));
    return [
      ...undocumented.map((name) => `header ${name} is not documented`),
      ...[...documented].flatMap(([name, header]) => this.headerFaults(name, header, headers.get(name))),
      ...this.bodyFaults(response.content?.['application/json']?.schema, headers.get('content-type'), text),
    ];
  }

  /** Returns how a value violates a schema of the document. */
  schemaFaults(schema: SchemaObject | ReferenceObject, value: unknown): string[] {
    const located = JSON.parse(JSON.stringify(schema), (key, part: unknown) =>
      key === '$ref' ? `document${String(part)}` : part,
    ) as SchemaObject;
    const validate = this.ajv.compile(located);
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`.trim());
  }

  private headerFaults(name: string, { required = false, schema = {} }: HeaderObject, text: string | null): string[] {
    if (text === null) return required ? [`header ${name} is missing`] : [];
    const isInteger = !('$ref' in schema) && schema.type === 'integer';
    return this.schemaFaults(schema, isInteger ? Number(text) : text).map((fault) => `header ${name} ${fault}`);
  }

  private bodyFaults(
    schema: SchemaObject | ReferenceObject | undefined,
    mediaType: string | null,
    text: string,
  ): string[] {
    if (schema === undefined) return text === '' ? [] : ['the body is not documented'];
    if (mediaType?.split(';')[0] !== 'application/json') return [`the body is ${mediaType ?? 'of no media type'}`];
    return this.schemaFaults(schema, JSON.parse(text)).map((fault) => `the body: ${fault}`);
  }
}
