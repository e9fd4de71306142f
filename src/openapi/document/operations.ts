import type { ContentObject, ExampleObject, OperationObject } from '@nestjs/swagger';
import type { ParameterObject, RequestBodyObject, ResponseObject } from '@nestjs/swagger';
import type { Env } from '../../platform/config/env.js';
import { headerReferences, optionalHeaders } from '../../http/response-headers.js';
import { IDEMPOTENCY_KEY_PARAMETER } from '../../http/idempotency/idempotency.hooks.js';
import { JSON_TYPE, jsonMediaTypes } from '../../http/requests/bodies.js';
import type { Problem } from '../../platform/errors/error-codes.js';
import { EARLY_STATUSES } from '../../lifecycle/deprecation.interceptor.js';
import { PREFER_PARAMETER } from '../rehearsal.interceptor.js';
import { errorResponse, errorsOfRoute, responseName } from '../documented-errors.js';
import { convertSchema, refuseUnknownFields, resolve, type Schemas } from './schemas.js';

export type DocumentedOperation = OperationObject & { 'x-sunset'?: string };

type ScannedResponse = ResponseObject & { 'x-list-name'?: string };

/** An operation from the scanner, with the extensions of our decorators, which the document does not contain. */
export interface ScannedOperation extends DocumentedOperation {
  parameters?: ParameterObject[];
  requestBody?: RequestBodyObject;
  responses: Record<string, ScannedResponse>;
  'x-errors'?: readonly Problem[];
  'x-body-examples'?: Record<string, ExampleObject>;
  'x-deprecation-advice'?: string;
  'x-idempotent'?: boolean;
}

/** What operations can share: all schemas by name, the names of parameters and responses, and contents without errors. */
export interface SharedParts {
  readonly schemas: Schemas;
  readonly parameters: Map<ParameterObject, string>;
  readonly responses: Map<ResponseObject, string>;
  readonly contents: ContentObject[];
}

const DEPRECATION_HEADERS = ['Deprecation', 'Sunset', 'DeprecationLink'] as const;

/** Completes an operation from the extensions of its decorators. */
export function completeOperation(
  method: string,
  scanned: ScannedOperation,
  shared: SharedParts,
  { ENVIRONMENT }: Env,
): DocumentedOperation {
  const {
    'x-errors': ownErrors = [],
    'x-body-examples': examples,
    'x-deprecation-advice': advice = '',
    'x-idempotent': isIdempotent = false,
    ...rest
  } = scanned;
  const { description = '', 'x-sunset': sunset } = rest;
  const prefer = ENVIRONMENT === 'staging' ? preferParameter(rest.parameters) : undefined;
  const parameters = [
    ...(rest.parameters ?? []).filter(({ name }) => prefer === undefined || name !== prefer.name),
    ...(isIdempotent ? [IDEMPOTENCY_KEY_PARAMETER] : []),
    ...(prefer === undefined ? [] : [prefer]),
  ].map(completeParameter);
  for (const parameter of parameters) shared.parameters.set(parameter, parameterName(parameter));
  const requestBody = rest.requestBody && completeBody(method, rest.requestBody, examples, shared.schemas);
  if (requestBody) shared.contents.push(requestBody.content);
  const responses: Record<string, ResponseObject> = {};
  const add = (status: string, response: ResponseObject, name?: string) => {
    responses[status] = response;
    if (sunset !== undefined && !EARLY_STATUSES.has(Number(status))) {
      // A 503 can come from admission, without deprecation headers.
      const headers = (status === '503' ? optionalHeaders : headerReferences)(DEPRECATION_HEADERS);
      response.headers = { ...response.headers, ...headers };
    } else if (name !== undefined) shared.responses.set(response, name);
  };
  for (const [status, ofStatus] of Object.entries(rest.responses)) {
    const response = completeResponse(ofStatus, parameters, shared.schemas);
    if (isIdempotent) response.headers = { ...response.headers, ...headerReferences(['Idempotent-Replayed']) };
    const name = 'Link' in (response.headers ?? {}) ? 'PageNotModified' : 'NotModified';
    add(status, response, status === '304' ? name : undefined);
    if (status < '300') shared.contents.push(response.content ?? {});
  }
  const errors = errorsOfRoute(method, ownErrors, isIdempotent);
  for (const [status, ofStatus] of Map.groupBy(errors, ({ status: code }) => code))
    add(String(status), errorResponse(status, ofStatus), responseName(status, ofStatus));
  return {
    ...rest,
    parameters,
    ...(requestBody && { requestBody }),
    responses,
    ...(sunset !== undefined && {
      deprecated: true,
      description: `**Deprecated.** Will be removed on ${sunset}. ${advice}\n\n${description}`,
    }),
  };
}

/** An explorer fills in the example of a parameter. That helps for required parameters; filters should start empty. */
function completeParameter({ required = false, schema, ...rest }: ParameterObject): ParameterObject {
  if (required && schema !== undefined && !('$ref' in schema)) {
    const { example, ...own } = schema;
    return { ...rest, required, schema: convertSchema(own), example: example as unknown };
  }
  // `false` is the default.
  return { ...rest, ...(required && { required }), ...(schema && { schema: convertSchema(schema) }) };
}

/** The name of a shared parameter: `Limit`, `IfMatch`, or `FilterStatus` for `filter[status]`. */
function parameterName({ name }: ParameterObject): string {
  const words = name.split(/[^a-zA-Z0-9._]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.join('') || 'Parameter';
}

function completeBody(
  method: string,
  requestBody: RequestBodyObject,
  examples: ScannedOperation['x-body-examples'],
  schemas: Schemas,
): RequestBodyObject {
  const { schema: scanned } = requestBody.content[JSON_TYPE] ?? {};
  if (scanned === undefined) return requestBody;
  const schema = convertSchema(scanned);
  refuseUnknownFields(schema, schemas);
  const content: RequestBodyObject['content'] = Object.fromEntries(
    jsonMediaTypes(method).map((type) => [type, { schema }]),
  );
  if (examples !== undefined) content[JSON_TYPE] = { schema, examples };
  // A POST without a body is accepted if all fields are optional.
  const { properties, required = [] } = resolve(schema, schemas);
  return { ...requestBody, required: method === 'patch' || properties === undefined || required.length > 0, content };
}

/** Moves a named list to the components. Its maximum number of items is that of `limit`. */
function completeResponse(
  { 'x-list-name': listName, ...response }: ScannedResponse,
  parameters: readonly ParameterObject[],
  schemas: Schemas,
): ResponseObject {
  const { schema: limit = {} } = parameters.find(({ name }) => name === 'limit') ?? {};
  const { maximum: maxItems } = resolve(limit, schemas);
  for (const media of Object.values(response.content ?? {})) {
    if (media.schema === undefined) continue;
    const schema = convertSchema(media.schema);
    media.schema = listName === undefined ? schema : { $ref: `#/components/schemas/${listName}` };
    if (listName !== undefined) schemas[listName] = { ...schema, ...(maxItems !== undefined && { maxItems }) };
  }
  return response;
}

/** Of staging. An operation that knows other preferences documents both. */
function preferParameter(own: readonly ParameterObject[] = []): ParameterObject {
  const other = own.find(({ name }) => name === PREFER_PARAMETER.name);
  if (other === undefined) return PREFER_PARAMETER;
  const description = `${other.description} ${PREFER_PARAMETER.description}`;
  return { ...PREFER_PARAMETER, description, schema: { type: 'string', maxLength: 100, example: 'code=429' } };
}
