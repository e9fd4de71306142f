import type {
  ExampleObject,
  OperationObject,
  ParameterObject,
  RequestBodyObject,
  ResponseObject,
} from '@nestjs/swagger';
import type { Env } from '../../platform/config/env.js';
import { headerReferences, optionalHeaders } from '../../http/response-headers.js';
import { IDEMPOTENCY_KEY_PARAMETER } from '../../http/idempotency/idempotency.hooks.js';
import { JSON_TYPE, jsonMediaTypes } from '../../http/requests/message.js';
import type { Problem } from '../../platform/errors/error-codes.js';
import { EARLY_STATUSES } from '../../lifecycle/deprecation.interceptor.js';
import { IDEMPOTENCY_ERRORS } from '../common-errors.js';
import { PREFER_PARAMETER } from '../rehearsal.interceptor.js';
import { errorResponse, responseName } from './errors.js';
import { convertSchema, refuseUnknownFields, resolve, type Schema, type Schemas } from './schemas.js';

export interface DocumentedOperation extends OperationObject {
  /** Removal date, `YYYY-MM-DD`. */
  'x-sunset'?: string;
}

/** An operation from the scanner, with the extensions of our decorators, which the document does not contain. */
export interface ScannedOperation extends DocumentedOperation {
  parameters?: ParameterObject[];
  requestBody?: RequestBodyObject;
  responses: Record<string, ResponseObject>;
  'x-errors'?: readonly Problem[];
  'x-body-examples'?: Record<string, ExampleObject>;
  'x-deprecation-advice'?: string;
  'x-idempotent'?: boolean;
}

/** What operations can share: all schemas by name, and the names of parameters and responses. */
export interface SharedParts {
  readonly schemas: Schemas;
  readonly parameters: Map<ParameterObject, string>;
  readonly responses: Map<ResponseObject, string>;
}

const DEPRECATION_HEADERS = ['Deprecation', 'Sunset', 'DeprecationLink'] as const;

/** Completes an operation from the extensions of its decorators, and collects what it can share. */
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
  const parameters = [
    ...(rest.parameters ?? []),
    ...(isIdempotent ? [IDEMPOTENCY_KEY_PARAMETER] : []),
    ...(ENVIRONMENT === 'staging' ? [PREFER_PARAMETER] : []),
  ].map(completeParameter);
  for (const parameter of parameters) shared.parameters.set(parameter, parameterName(parameter));
  const requestBody = rest.requestBody && completeBody(method, rest.requestBody, examples, shared.schemas);
  const responses = completeResponses(rest.responses, parameters, shared, isIdempotent);
  const errors = isIdempotent ? [...ownErrors, ...IDEMPOTENCY_ERRORS] : ownErrors;
  for (const [status, ofStatus] of Map.groupBy(errors, ({ status: code }) => code)) {
    const response = errorResponse(status, ofStatus);
    responses[status] = response;
    shared.responses.set(response, responseName(status, ofStatus));
  }
  const operation = { ...rest, parameters, ...(requestBody && { requestBody }), responses };
  return rest['x-sunset'] === undefined ? operation : deprecate(operation, advice, shared);
}

function deprecate(operation: ScannedOperation, advice: string, shared: SharedParts): DocumentedOperation {
  const { responses, description = '', 'x-sunset': sunset } = operation;
  const announced = Object.entries(responses).map(([status, response]) => {
    if (EARLY_STATUSES.has(Number(status))) return [status, response] as const;
    shared.responses.delete(response);
    // A 503 can come from admission, without deprecation headers.
    const headers = (status === '503' ? optionalHeaders : headerReferences)(DEPRECATION_HEADERS);
    return [status, { ...response, headers: { ...response.headers, ...headers } }] as const;
  });
  return {
    ...operation,
    responses: Object.fromEntries(announced),
    deprecated: true,
    description: `**Deprecated.** Will be removed on ${sunset}. ${advice}\n\n${description}`,
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

/** Moves named lists to the components. Their maximum number of items is that of `limit`. */
function completeResponses(
  responses: Readonly<Record<string, ResponseObject>>,
  parameters: readonly ParameterObject[],
  shared: SharedParts,
  isIdempotent: boolean,
): Record<string, ResponseObject> {
  const { schema: limit = {} } = parameters.find(({ name }) => name === 'limit') ?? {};
  const maxItems = '$ref' in limit ? undefined : limit.maximum;
  const complete = Object.entries(responses).map(([status, scanned]): [string, ResponseObject] => {
    const replayed = { ...scanned.headers, ...headerReferences(['Idempotent-Replayed']) };
    const response = isIdempotent ? { ...scanned, headers: replayed } : scanned;
    for (const media of Object.values(response.content ?? {})) {
      if (media.schema === undefined) continue;
      // Not `title`, because a team's title can be the name of another schema.
      const { 'x-list-name': listName, ...schema } = convertSchema(media.schema) as Schema & { 'x-list-name'?: string };
      media.schema = listName === undefined ? schema : { $ref: `#/components/schemas/${listName}` };
      if (listName !== undefined) shared.schemas[listName] = { ...schema, ...(maxItems !== undefined && { maxItems }) };
    }
    const isPage = 'Link' in (response.headers ?? {});
    if (status === '304') shared.responses.set(response, isPage ? 'PageNotModified' : 'NotModified');
    return [status, response];
  });
  return Object.fromEntries(complete);
}
