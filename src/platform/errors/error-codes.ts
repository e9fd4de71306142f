/**
 * All values of `code` with their HTTP status, defined only here. Append-only, because clients branch on codes: an entry is
 * never renamed, and its status never changes.
 */
export const ERROR_CODES = {
  missing_api_key: { status: 401, meaning: 'No API key was sent.' },
  invalid_api_key: { status: 401, meaning: 'Unknown API key.' },
  api_key_expired: { status: 401, meaning: 'The API key has expired.' },
  api_key_revoked: { status: 401, meaning: 'The API key was revoked.' },
  insufficient_scope: { status: 403, meaning: 'The API key lacks the scope that the operation needs.' },
  rate_limit_exceeded: { status: 429, meaning: 'A rate limit is exhausted. Retry-After says when it resets.' },
  api_key_banned: { status: 429, meaning: 'The API key is temporarily banned for repeated requests after 429.' },
  malformed_json: { status: 400, meaning: 'The request body is not valid JSON in UTF-8.' },
  validation_failed: { status: 400, meaning: 'A parameter or a field of the body is invalid.' },
  pet_not_found: { status: 404, meaning: 'No pet has that identifier.' },
  order_not_found: { status: 404, meaning: 'The account has no order with that identifier.' },
  route_not_found: { status: 404, meaning: 'Unknown path.' },
  method_not_allowed: {
    status: 405,
    meaning: 'The path does not support that method. Allow lists the supported ones.',
  },
  payload_too_large: { status: 413, meaning: 'The request body is too large.' },
  unsupported_media_type: { status: 415, meaning: 'The request body is not plain application/json.' },
  headers_too_large: { status: 431, meaning: 'The request line and headers are too large.' },
  pet_not_available: { status: 409, meaning: 'The pet is not available.' },
  pet_in_order: { status: 409, meaning: 'An open order reserves the pet.' },
  category_not_found: { status: 404, meaning: 'No category has that identifier.' },
  api_key_not_found: { status: 404, meaning: 'The account has no API key with that identifier.' },
  invalid_status_transition: { status: 409, meaning: 'The status does not allow that transition.' },
  precondition_failed: { status: 412, meaning: 'If-Match does not name the current ETag, or If-None-Match names it.' },
  idempotency_key_reused: { status: 422, meaning: 'The Idempotency-Key was used with another request.' },
  idempotency_key_in_use: { status: 409, meaning: 'A request with this Idempotency-Key is still running.' },
  operation_removed: { status: 410, meaning: 'The operation was removed on its announced date.' },
  internal_error: { status: 500, meaning: 'The service failed. Report the X-Request-Id.' },
  service_unavailable: {
    status: 503,
    meaning: 'The service is temporarily unavailable. Retry-After says when to try again.',
  },
  request_timeout: { status: 408, meaning: 'The request did not arrive in time.' },
  api_key_retired: { status: 409, meaning: 'The API key is revoked, expired, paused or already rotated.' },
  api_key_limit_reached: { status: 409, meaning: 'The account has reached its limit of active API keys.' },
  category_exists: { status: 409, meaning: 'A category with that identifier exists.' },
  not_found: { status: 404, meaning: 'Nothing has that identifier.' },
  conflict: { status: 409, meaning: 'The request conflicts with the state of the resource.' },
  unprocessable_content: { status: 422, meaning: 'The request is well-formed but cannot be processed.' },
  not_implemented: { status: 501, meaning: 'The service does not support the transfer coding.' },
  api_key_paused: { status: 401, meaning: 'The API key is paused until somebody resumes it.' },
  unauthorized: { status: 401, meaning: 'The API key is valid, but the operation refuses the caller.' },
  forbidden: { status: 403, meaning: 'The API key has the scope, but the operation refuses the caller.' },
  webhook_not_found: { status: 404, meaning: 'The account has no webhook with that identifier.' },
  webhook_limit_reached: { status: 409, meaning: 'The account has reached its limit of webhooks.' },
  webhooks_not_configured: { status: 409, meaning: 'The service has no key to encrypt secrets of webhooks with.' },
  event_cursor_expired: { status: 410, meaning: 'Events after the cursor may have been deleted.' },
  account_suspended: { status: 403, meaning: 'The account is suspended. Contact the operator of the service.' },
} as const satisfies Record<string, { readonly status: number; readonly meaning: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** A code outside the registry, for errors of extensions. */
export interface OwnErrorCode {
  readonly code: string;
  readonly status: number;
  /** When it is returned, for the documentation. */
  readonly meaning: string;
}

/** The parts of an Error response. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  /** What is wrong and what would be valid; never internals. */
  readonly message: string;
  /** Names in lower case, so that Fastify need not convert them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly meaning?: string | undefined;
}

export function problem(code: ErrorCode | OwnErrorCode, message: string, headers?: Problem['headers']): Problem {
  const declared = typeof code === 'string' ? { code, ...ERROR_CODES[code] } : code;
  return { status: declared.status, code: declared.code, message, headers, meaning: declared.meaning };
}

export const CODE_PATTERN = '^[a-z]+(_[a-z]+)*$';
export const MAX_CODE_LENGTH = 64;

/** Maximum length of a message, in UTF-16 code units; longer ones, such as those of foreign exceptions, are cut. */
export const MAX_MESSAGE_LENGTH = 2_000;

/** An exception can have no message, and every Error has one. */
export function sentMessage({ message, meaning, code }: Problem): string {
  return [message, meaning].find((words) => words?.trim())?.slice(0, MAX_MESSAGE_LENGTH) ?? code;
}

export function errorObject(answer: Problem): object {
  return { code: answer.code, message: sentMessage(answer), status: answer.status };
}

/** The longest message that people read, in UTF-16 code units. Those of extensions can be longer. */
const READABLE_LENGTH = 200;

/** The items that fit into a message with `besides` other characters, at least one. */
export function listed(items: readonly string[], separator: string, besides = 100): string {
  const room = READABLE_LENGTH - besides - `${separator}and more`.length;
  const shown = items.filter((_, index) => index === 0 || items.slice(0, index + 1).join(separator).length <= room);
  return [...shown, ...(shown.length < items.length ? ['and more'] : [])].join(separator);
}
