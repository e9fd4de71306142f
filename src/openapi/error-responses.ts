import { STATUS_CODES } from 'node:http';
import type { ApiResponseOptions } from '@nestjs/swagger';
import { ERROR_CODES, ErrorBody, type ErrorCode, problem } from '../errors/index.js';
import { COMMON_HEADERS, type HeaderName, headerReferences } from './headers.js';

/** Headers that belong to an error status, wherever it is answered. */
const STATUS_HEADERS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate', 'Cache-Control'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After', 'Cache-Control'],
  503: ['Retry-After'],
};

/** One documented response for each status, with an example for each code. */
export function errorResponses(codes: readonly ErrorCode[]): ApiResponseOptions[] {
  const byStatus = Map.groupBy(new Set(codes), (code) => ERROR_CODES[code].status);
  return [...byStatus].toSorted(([a], [b]) => a - b).map(([status, codesOfStatus]) => ({
    status,
    description: STATUS_CODES[status] ?? String(status),
    type: ErrorBody,
    headers: headerReferences([...COMMON_HEADERS, ...(STATUS_HEADERS[status] ?? [])]),
    examples: Object.fromEntries(codesOfStatus.map((code) => [code, example(code)])),
  }));
}

function example(code: ErrorCode) {
  const { message, status } = problem(code, ERROR_CODES[code].meaning);
  return { summary: code, value: { code, message, status } };
}
