import type {
  ExampleObject,
  OperationObject,
  ParameterObject,
  RequestBodyObject,
  ResponseObject,
} from '@nestjs/swagger';
import { JSON_TYPE, jsonMediaTypes } from '../../http/index.js';
import { GUARD_STATUSES } from '../../lifecycle/index.js';
import type { DocumentedError } from '../documented-error.js';
import { errorResponses } from './error-responses.js';
import { close, finishedSchema, resolved, type Schema, type Schemas } from './finished-schema.js';
import { headerReferences, optionalHeaders } from '../headers.js';
import type { NamedPart } from './shared-components.js';

/** An operation with its lifecycle. */
export interface LivingOperation extends OperationObject {
  /** Removal date, `YYYY-MM-DD`. */
  'x-sunset'?: string;
}

/** An operation from the scanner, with the extensions of our decorators, which the document does not contain. */
export interface ScannedOperation extends LivingOperation {
  parameters?: ParameterObject[];
  requestBody?: RequestBodyObject;
  responses: Record<string, ResponseObject>;
  'x-errors'?: readonly DocumentedError[];
  'x-body-examples'?: Record<string, ExampleObject>;
  'x-deprecation-advice'?: string;
}

/** What operations can share. */
export interface SharedParts {
  readonly schemas: Schemas;
  readonly parameters: NamedPart<ParameterObject>[];
  readonly responses: NamedPart<ResponseObject>[];
}

const DEPRECATION_HEADERS = ['Deprecation', 'Sunset', 'DeprecationLink'] as const;

/** Completes an operation from the extensions of its decorators, and collects what it can share. */
export function finishedOperation(method: string, scanned: ScannedOperation, shared: SharedParts): LivingOperation {
  const { 'x-errors': errors = [], 'x-body-examples': examples, 'x-deprecation-advice': advice, ...rest } = scanned;
  const { 'x-sunset': sunset, description = '' } = rest;
  const parameters = (rest.parameters ?? []).map(finishedParameter);
  shared.parameters.push(...parameters.map((part) => ({ name: componentName(part), part })));
  const requestBody = rest.requestBody && finishedBody(method, rest.requestBody, examples, shared);
  const responses = [...successResponses(rest.responses, parameters, shared), ...errorResponses(errors)].map(
    ([status, response]): [string, ResponseObject] => {
      if (sunset !== undefined && !GUARD_STATUSES.has(Number(status)))
        return [status, announcing(status, response.part)];
      shared.responses.push(response);
      return [status, response.part];
    },
  );
  return {
    ...rest,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: Object.fromEntries(responses),
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
function finishedParameter({ required = false, schema, ...rest }: ParameterObject): ParameterObject {
  const inline = schema === undefined || '$ref' in schema ? undefined : schema;
  if (inline !== undefined && required) {
    const { example, ...own } = inline;
    return { ...rest, required, schema: finishedSchema(own), example: example as unknown };
  }
  return {
    ...rest,
    // `false` is the default.
    ...(required ? { required } : {}),
    ...(schema === undefined ? {} : { schema: finishedSchema(schema) }),
  };
}

/** The name of a shared parameter: `Limit`, `IfMatch`, or `FilterStatus` for `filter[status]`. */
function componentName({ name }: ParameterObject): string {
  const words = name.split(/[^a-zA-Z0-9._]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.join('') || 'Parameter';
}

function finishedBody(
  method: string,
  requestBody: RequestBodyObject,
  examples: ScannedOperation['x-body-examples'],
  { schemas }: SharedParts,
): RequestBodyObject {
  const { schema: scanned } = requestBody.content[JSON_TYPE] ?? {};
  if (scanned === undefined) return requestBody;
  const schema = finishedSchema(scanned);
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
  const { properties, required = [] } = resolved(schema, schemas);
  return properties === undefined || required.length > 0;
}

/** The name of a list, which `title` is not: a team's title can be the name of another schema. */
interface NamedList {
  readonly 'x-list-name'?: string;
}

/** Moves named lists to the components. Their maximum number of items is that of `limit`. */
function successResponses(
  responses: Readonly<Record<string, ResponseObject>>,
  parameters: readonly ParameterObject[],
  { schemas }: SharedParts,
): [status: string, NamedPart<ResponseObject>][] {
  const maxItems = maximumOf('limit', parameters);
  return Object.entries(responses).map(([status, response]) => {
    for (const media of Object.values(response.content ?? {})) {
      if (media.schema === undefined) continue;
      const { 'x-list-name': listName, ...schema } = finishedSchema(media.schema) as Schema & NamedList;
      media.schema = schema;
      if (listName === undefined) continue;
      schemas[listName] = { ...schema, ...(maxItems === undefined ? {} : { maxItems }) };
      media.schema = { $ref: `#/components/schemas/${listName}` };
    }
    const isPage = 'Link' in (response.headers ?? {});
    const name = isPage ? 'PageNotModified' : 'NotModified';
    return [status, status === '304' ? { name, part: response } : { part: response }];
  });
}

function maximumOf(name: string, parameters: readonly ParameterObject[]): number | undefined {
  const { schema = {} } = parameters.find((parameter) => parameter.name === name) ?? {};
  return '$ref' in schema ? undefined : schema.maximum;
}
