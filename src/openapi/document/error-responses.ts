import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { ResponseObject } from '@nestjs/swagger';
import { errorObject } from '../../errors/index.js';
import { COMMON_ERRORS, QUOTA_ERRORS } from '../common-errors.js';
import { type DocumentedError, documentedError } from '../documented-error.js';
import { COMMON_HEADERS, type HeaderName, headerReferences, optionalHeaders } from '../headers.js';
import type { NamedPart } from './shared-components.js';

/** Error codes by status that nearly all operations have. Their responses are named after the status. */
const USUAL_CODES = Map.groupBy([...COMMON_ERRORS, ...QUOTA_ERRORS].map(documentedError), ({ status }) => status);

/** One response for each status of an operation's errors. */
export function errorResponses(errors: readonly DocumentedError[]): [status: string, NamedPart<ResponseObject>][] {
  const byStatus = Map.groupBy(errors, ({ status }) => status);
  return [...byStatus].map(([status, ofStatus]) => [
    String(status),
    { name: nameOf(status, ofStatus), part: errorResponse(status, ofStatus) },
  ]);
}

/** The name of a response, such as `Unauthorized`, `PetNotFound` or `PetInOrderOrInvalidStatusTransition`. */
function nameOf(status: number, errors: readonly DocumentedError[]): string {
  const codes = errors.map(({ code }) => code);
  const usual = (USUAL_CODES.get(status) ?? []).map(({ code }) => code);
  return isDeepStrictEqual(codes, usual)
    ? (STATUS_CODES[status] ?? '').replaceAll(/\W/g, '')
    : codes.map(inPascalCase).join('Or');
}

function inPascalCase(code: string): string {
  return code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function errorResponse(status: number, errors: readonly DocumentedError[]): ResponseObject {
  const bodies = errors.map(errorObject);
  const examples = Object.fromEntries(errors.map(({ code }, index) => [code, { value: bodies[index] }]));
  const isUncacheable = status === 401 || status === 429;
  return {
    description: describe(errors),
    headers: {
      ...headerReferences(isUncacheable ? [...COMMON_HEADERS, 'Cache-Control'] : COMMON_HEADERS),
      ...ownHeaders(errors),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        ...(bodies.length === 1 ? { example: bodies[0] } : { examples }),
      },
    },
  };
}

/** Headers of the errors: WWW-Authenticate, and Retry-After, which can be on some errors of a status only. */
function ownHeaders(errors: readonly DocumentedError[]): ResponseObject['headers'] {
  const holders = (name: HeaderName) => errors.filter(({ headers = {} }) => name.toLowerCase() in headers).length;
  const retries = holders('Retry-After');
  return {
    ...headerReferences(holders('WWW-Authenticate') > 0 ? ['WWW-Authenticate'] : []),
    ...(retries === errors.length ? headerReferences : optionalHeaders)(retries > 0 ? ['Retry-After'] : []),
  };
}

/** The meanings of a status; a Markdown list if there are several. */
function describe(errors: readonly DocumentedError[]): string {
  const [only] = errors;
  if (only !== undefined && errors.length === 1) return only.meaning;
  return errors.map(({ code, meaning }) => `- \`${code}\`: ${meaning}`).join('\n');
}
