import type {
  ExampleObject,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
} from '@nestjs/swagger';
import { JSON_TYPE, jsonMediaTypes } from '../http/index.js';
import type { Stability } from '../lifecycle/index.js';
import type { DocumentedError } from './documented-error.js';
import { errorResponses } from './error-responses.js';
import { close, finishedSchema, type Schema, type Schemas } from './finished-schema.js';
import { headerReferences, optionalHeaders } from './headers.js';
import type { NamedResponse, SharedResponses } from './shared-responses.js';

type Parameter = ParameterObject | ReferenceObject;

/** An operation with its lifecycle. */
export interface LivingOperation extends OperationObject {
  'x-stability'?: Stability;
  /** Removal date, `YYYY-MM-DD`. */
  'x-sunset'?: string;
}

/** An operation from the scanner, with the extensions of our decorators, which the document does not contain. */
export interface ScannedOperation extends LivingOperation {
  'x-errors'?: readonly DocumentedError[];
  'x-body-examples'?: Record<string, ExampleObject>;
  'x-deprecation-advice'?: string;
}

/** The shared components so far. */
export interface SharedParts {
  readonly schemas: Schemas;
  readonly responses: SharedResponses;
}

/** A list is one parameter with comma-separated items. */
const COMMA_SEPARATED = { explode: false };

const DEPRECATION_HEADERS = ['Deprecation', 'Sunset', 'DeprecationLink'] as const;

/** Statuses of guards, which respond before the deprecation headers are set. */
const DECIDED_BY_GUARDS: ReadonlySet<string> = new Set(['401', '403', '429']);

/** Completes an operation from the extensions of its decorators, and moves common parts to the shared components. */
export function finishedOperation(method: string, scanned: ScannedOperation, shared: SharedParts): LivingOperation {
  const { 'x-errors': errors = [], 'x-body-examples': examples, 'x-deprecation-advice': advice, ...rest } = scanned;
  const { 'x-sunset': sunset, description = '' } = rest;
  const parameters = (rest.parameters ?? []).map(finishedParameter);
  const requestBody = rest.requestBody && finishedBody(method, rest.requestBody, examples, shared);
  const responses = [
    ...successResponses(rest.responses as Record<string, ResponseObject>, parameters, shared),
    ...errorResponses(errors),
  ].map(([status, named]) => [
    status,
    sunset === undefined || DECIDED_BY_GUARDS.has(status)
      ? shared.responses.refer(named)
      : announcing(status, named.response),
  ]);
  return {
    ...rest,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: Object.fromEntries(responses) as LivingOperation['responses'],
    ...(sunset === undefined
      ? {}
      : {
          deprecated: true,
          description: `**Deprecated.** Will be removed on ${sunset}. ${advice ?? ''}\n\n${description}`,
        }),
  };
}

/** Statuses whose responses are the same for all operations, so that their examples need not be repeated. */
const WITHOUT_EXAMPLES: ReadonlySet<string> = new Set(['400', '500', '503']);

/** The response of a deprecated operation. A 503 can come from admission, without deprecation headers. */
function announcing(status: string, response: ResponseObject): ResponseObject {
  const headers = status === '503' ? optionalHeaders(DEPRECATION_HEADERS) : headerReferences(DEPRECATION_HEADERS);
  const { schema } = response.content?.[JSON_TYPE] ?? {};
  const content = WITHOUT_EXAMPLES.has(status) && schema ? { content: { [JSON_TYPE]: { schema } } } : {};
  return { ...response, ...content, headers: { ...response.headers, ...headers } };
}

/** An explorer fills in the example of a parameter. That helps for required parameters; filters should start empty. */
function finishedParameter(parameter: Parameter): Parameter {
  if ('$ref' in parameter) return parameter;
  const { required = false, schema, ...rest } = parameter;
  if (schema !== undefined && !('$ref' in schema) && required) {
    const { example, ...own } = schema;
    return { ...rest, required, schema: finishedSchema(own), example: example as unknown };
  }
  const isList = schema !== undefined && 'type' in schema && schema.type === 'array' && rest.in === 'query';
  return {
    ...rest,
    // `false` is the default.
    ...(required ? { required } : {}),
    ...(isList ? COMMA_SEPARATED : {}),
    ...(schema === undefined ? {} : { schema: finishedSchema(schema) }),
  };
}

function finishedBody(
  method: string,
  requestBody: RequestBodyObject | ReferenceObject,
  examples: ScannedOperation['x-body-examples'],
  { schemas }: SharedParts,
): RequestBodyObject | ReferenceObject {
  if ('$ref' in requestBody) return requestBody;
  const { schema } = requestBody.content[JSON_TYPE] ?? {};
  if (schema === undefined) return requestBody;
  close(schema, schemas);
  const others = jsonMediaTypes(method).filter((type) => type !== JSON_TYPE);
  const json = examples === undefined ? { schema } : { schema, examples };
  return {
    ...requestBody,
    required: method === 'patch' || needsFields(schema, schemas),
    content: { [JSON_TYPE]: json, ...Object.fromEntries(others.map((type) => [type, { schema }])) },
  };
}

/** Whether a body is required: a POST without a body is accepted if all fields are optional. */
function needsFields(schema: Schema, schemas: Schemas): boolean {
  const model = '$ref' in schema ? schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
  return model === undefined || '$ref' in model || model.properties === undefined || (model.required ?? []).length > 0;
}

/** Moves named lists to the components. Their maximum number of items is that of `limit`. */
function successResponses(
  responses: Readonly<Record<string, ResponseObject>>,
  parameters: readonly Parameter[],
  { schemas }: SharedParts,
): [status: string, NamedResponse][] {
  const maxItems = maximumOf('limit', parameters);
  return Object.entries(responses).map(([status, response]) => {
    for (const media of Object.values(response.content ?? {})) {
      if (media.schema === undefined || '$ref' in media.schema || media.schema.title === undefined) continue;
      const { title, ...list } = media.schema;
      schemas[title] = { ...list, ...(maxItems === undefined ? {} : { maxItems }) };
      media.schema = { $ref: `#/components/schemas/${title}` };
    }
    const isPage = 'Link' in (response.headers ?? {});
    return [status, status === '304' ? { name: isPage ? 'PageNotModified' : 'NotModified', response } : { response }];
  });
}

function maximumOf(name: string, parameters: readonly Parameter[]): number | undefined {
  const found = parameters.find((parameter) => !('$ref' in parameter) && parameter.name === name);
  if (found === undefined || '$ref' in found || found.schema === undefined || '$ref' in found.schema) return undefined;
  return found.schema.maximum;
}
