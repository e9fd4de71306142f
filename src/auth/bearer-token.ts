import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { listed, type Problem, problem, type ErrorCode } from '../platform/errors/error-codes.js';
import { isRepeated } from '../http/requests/message.js';
import type { ApiKey } from './keys/api-key.entity.js';

/*
 * Bearer tokens (RFC 6750): how a request sends one, and the 401 and 403 of a request whose key is missing, not valid or not
 * enough. Their messages never quote the request.
 */

const REALM = 'Bearer realm="petstore"';
const HOW = 'Send it as "Authorization: Bearer <API key>".';

export const INVALID = unauthorized('invalid_api_key', 'The API key is not valid.');
export const EXPIRED = unauthorized('api_key_expired', 'The API key has expired. Use another one.');
export const REVOKED = unauthorized('api_key_revoked', 'The API key was revoked. Use another one.');
export const PAUSED = unauthorized('api_key_paused', 'The API key is paused. Resume it, or use another one.');
const REPEATED = unauthorized('invalid_api_key', 'Send one Authorization header, not several.');

const missing = (fault: string) => unauthorized('missing_api_key', `${fault} ${HOW}`);
const malformed = (fault: string) => unauthorized('invalid_api_key', `${fault} ${HOW}`);

export const MISSING = missing('This operation needs an API key.');
const IN_HEADER = missing('The service does not read X-API-Key.');
const IN_QUERY = missing('The service reads no key in the query, where logs would show it.');

/** What can be wrong with an Authorization header, usual mistakes first. A header without Bearer and a key has no key. */
const MISTAKES: readonly (readonly [RegExp, Problem])[] = [
  [/^psk_/i, missing('The word Bearer is missing before the key.')],
  [/^basic /i, missing('The Authorization header has the scheme Basic, not Bearer.')],
  [/^bearer[ \t]*$/i, missing('The key after Bearer is missing; a variable may be empty.')],
  [/^(?!bearer[ \t])/i, missing('The Authorization header does not begin with Bearer and a space.')],
  [/^bearer\s+bearer\s/i, malformed('The word Bearer is there twice.')],
  [/^bearer\s+["'`]/i, malformed('The key is in quotes.')],
  [/^bearer\s+[<{[$%]/i, malformed('The key is a placeholder or a variable without its value.')],
  [/^/, malformed('The key in the Authorization header has characters that no key has.')],
];

/** The scheme in any case, one or more spaces, then a token68 (RFC 9110, section 11.2; RFC 6750, section 2.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

interface BearerRequest extends Pick<FastifyRequest, 'url'> {
  readonly headers: IncomingMessage['headers'];
  readonly raw: Pick<IncomingMessage, 'rawHeaders'>;
}

/** The bearer token of a request, or its 401. The token need not be a valid key. */
export function readBearerToken({ headers, raw, url }: BearerRequest): string | Problem {
  const { authorization } = headers;
  if (isRepeated(raw, 'authorization')) return REPEATED;
  if (authorization !== undefined) {
    const token = BEARER.exec(authorization)?.[1];
    return token ?? MISTAKES.find(([mistake]) => mistake.test(authorization))?.[1] ?? MISSING;
  }
  if (headers['x-api-key'] !== undefined) return IN_HEADER;
  return /[?&](?:api_?key|access_token|token|key)=/i.test(url) ? IN_QUERY : MISSING;
}

export type KeyState = Pick<ApiKey, 'revokedAt' | 'expiresAt' | 'pausedAt'>;

/** The 401 of a key that is not valid at a time, in Unix time in milliseconds. */
export function refusalOf({ revokedAt, expiresAt, pausedAt }: KeyState, atMs: number): Problem | undefined {
  if (revokedAt !== null) return REVOKED;
  if (expiresAt !== null && expiresAt <= atMs) return EXPIRED;
  return pausedAt === null ? undefined : PAUSED;
}

/** WWW-Authenticate has an error only if a token was sent (RFC 6750, section 3.1). */
export function unauthorized(code: ErrorCode, message: string): Problem {
  const challenge = code === 'missing_api_key' ? REALM : `${REALM}, error="invalid_token"`;
  return problem(code, message, { 'www-authenticate': challenge });
}

/** The 403 of a valid key. WWW-Authenticate has the missing `scopes` (RFC 6750, section 3.1). */
export function insufficientScope(message: string, scopes: readonly string[]): Problem {
  const headers = { 'www-authenticate': `${REALM}, error="insufficient_scope", scope="${scopes.join(' ')}"` };
  return problem('insufficient_scope', message, headers);
}

/** The 403 of a valid key that lacks the scope of the operation. @param held the scopes that it has */
export function scopeNeeded(scope: string, held: Iterable<string>): Problem {
  const message = `This key has the scopes ${listed([...held], ', ')}; this operation needs ${scope}.`;
  return insufficientScope(message, [scope]);
}
