import { STATUS_CODES } from 'node:http';
import type { ErrorCode } from './error-codes.js';

/** The code of an error that has only a status, such as those of Nest and Fastify. */
const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'validation_failed',
  401: 'invalid_api_key',
  403: 'insufficient_scope',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'conflict',
  410: 'operation_removed',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'unprocessable_content',
  429: 'rate_limit_exceeded',
  431: 'headers_too_large',
  500: 'internal_error',
  503: 'service_unavailable',
};

/** A code of the registry; for other statuses, their reason phrase: `I'm a Teapot` becomes `i_m_a_teapot`. */
export function codeOf(status: number): string {
  return BY_STATUS[status] ?? (STATUS_CODES[status] ?? 'error').toLowerCase().replaceAll(/[^a-z]+/g, '_');
}
