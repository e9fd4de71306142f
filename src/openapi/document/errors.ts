import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { ResponseObject, SchemaObject } from '@nestjs/swagger';
import { ERROR_CODES } from '../../platform/errors/error-codes.js';
import { COMMON_HEADERS, type HeaderName, headerReferences, optionalHeaders } from '../../http/response-headers.js';
import { errorObject, MAX_MESSAGE_LENGTH, type Problem } from '../../platform/errors/error-codes.js';
import { COMMON_ERRORS, documentedError, QUOTA_ERRORS } from '../common-errors.js';

/** Error codes by status that nearly all operations have. Their responses are named after the status. */
const USUAL_CODES = Map.groupBy([...COMMON_ERRORS, ...QUOTA_ERRORS].map(documentedError), ({ status }) => status);

/** The name of a response, such as `Unauthorized`, `PetNotFound` or `PetInOrderOrInvalidStatusTransition`. */
export function responseName(status: number, errors: readonly Problem[]): string {
  const codes = errors.map(({ code }) => code);
  const usual = (USUAL_CODES.get(status) ?? []).map(({ code }) => code);
  return isDeepStrictEqual(codes, usual)
    ? (STATUS_CODES[status] ?? '').replaceAll(/\W/g, '')
    : codes.map(inPascalCase).join('Or');
}

function inPascalCase(code: string): string {
  return code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The response of an operation for all of its errors with one status. */
export function errorResponse(status: number, errors: readonly Problem[]): ResponseObject {
  const bodies = errors.map(errorObject);
  const examples = Object.fromEntries(errors.map(({ code }, index) => [code, { value: bodies[index] }]));
  const isUncacheable = status === 401 || status === 429;
  const usual: HeaderName[] = [...COMMON_HEADERS, 'Help', ...(isUncacheable ? (['Cache-Control'] as const) : [])];
  // A request with too many headers gets no further than the parser: it has no key and no route.
  const names = status === 431 ? (['Id'] as const) : usual;
  return {
    description: describe(errors),
    headers: { ...headerReferences(names), ...ownHeaders(errors) },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        ...(bodies.length === 1 ? { example: bodies[0] } : { examples }),
      },
    },
  };
}

/** Headers of the errors: WWW-Authenticate, and Retry-After, which can be on some errors of a status only. */
function ownHeaders(errors: readonly Problem[]): ResponseObject['headers'] {
  const holders = (name: HeaderName) => errors.filter(({ headers = {} }) => name.toLowerCase() in headers).length;
  const retries = holders('Retry-After');
  return {
    ...headerReferences(holders('Accept') > 0 ? ['Accept', 'Accept-Patch'] : []),
    ...headerReferences(holders('WWW-Authenticate') > 0 ? ['WWW-Authenticate'] : []),
    ...(retries === errors.length ? headerReferences : optionalHeaders)(retries > 0 ? ['Retry-After'] : []),
  };
}

/** The meanings of a status; a Markdown list if there are several. */
function describe(errors: readonly Problem[]): string {
  const [only] = errors;
  if (only !== undefined && errors.length === 1) return only.meaning ?? only.message;
  return errors.map(({ code, message, meaning = message }) => `- \`${code}\`: ${meaning}`).join('\n');
}

/** @param codes of the documented errors, including those of extensions */
export function errorSchemas(codes: Iterable<string>): Record<'Error' | 'KnownErrorCode', SchemaObject> {
  return {
    KnownErrorCode: {
      type: 'string',
      description: 'The known error codes.',
      enum: [...new Set([...Object.keys(ERROR_CODES), ...codes])],
    },
    Error: {
      type: 'object',
      description: 'The body of every error response.',
      properties: {
        code: {
          description: 'Machine-readable error code. New codes can be added.',
          anyOf: [
            { $ref: '#/components/schemas/KnownErrorCode' },
            { type: 'string', maxLength: 64, pattern: '^[a-z]+(_[a-z]+)*$' },
          ],
          examples: ['validation_failed'],
        },
        message: {
          type: 'string',
          maxLength: MAX_MESSAGE_LENGTH,
          pattern: '\\S',
          description: 'Human-readable description.',
          examples: ['limit must be an integer from 1 to 100.'],
        },
        status: {
          type: 'integer',
          format: 'int32',
          minimum: 400,
          maximum: 599,
          description: 'The HTTP status code.',
          examples: [400],
        },
      },
      required: ['code', 'message', 'status'],
    },
  };
}
