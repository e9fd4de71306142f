import { STATUS_CODES } from 'node:http';
import type { ApiResponseOptions } from '@nestjs/swagger';
import { ERROR_CODES, ErrorBody, type ErrorCode, type OwnErrorCode } from '../errors/index.js';
import { COMMON_HEADERS, type HeaderName, headerReferences, optionalHeaders } from './headers.js';

/** Headers that belong to an error status, wherever it is answered. */
const STATUS_HEADERS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate', 'Cache-Control'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After', 'Cache-Control'],
  503: ['Retry-After'],
};

/** Headers of single errors, which others of the same status lack. */
const CODE_HEADERS: Readonly<Record<string, readonly HeaderName[]>> = { idempotency_key_in_use: ['Retry-After'] };

/** One documented response for each status, with an example for each code. */
export function errorResponses(codes: readonly (ErrorCode | OwnErrorCode)[]): ApiResponseOptions[] {
  const errors = [...new Set(codes)].map((code) => (typeof code === 'string' ? { code, ...ERROR_CODES[code] } : code));
  const byStatus = Map.groupBy(errors, ({ status }) => status);
  return [...byStatus].toSorted(([a], [b]) => a - b).map(([status, errorsOfStatus]) => ({
    status,
    description: describe(status, errorsOfStatus),
    type: ErrorBody,
    headers: {
      ...headerReferences([...COMMON_HEADERS, ...(STATUS_HEADERS[status] ?? [])]),
      ...optionalHeaders(errorsOfStatus.flatMap(({ code }) => CODE_HEADERS[code] ?? [])),
    },
    examples: Object.fromEntries(errorsOfStatus.map((error) => [error.code, example(error)])),
  }));
}

/** In Markdown: the status in words, and all that it can mean. */
function describe(status: number, errors: readonly OwnErrorCode[]): string {
  const meanings = errors.map(({ code, meaning }) => `- \`${code}\`: ${meaning}`);
  return [STATUS_CODES[status] ?? String(status), meanings.join('\n')].join('\n\n');
}

function example({ code, status, meaning }: OwnErrorCode) {
  return { summary: code, value: { code, message: meaning, status } };
}
