import type { ApiKey } from './keys/api-key.entity.js';
import { listed, type Problem, problem, type ErrorCode } from '../platform/errors/error-codes.js';

/* The 401 and 403 of a request whose key is missing, not valid or not enough (RFC 6750). They never quote the request. */

const REALM = 'Bearer realm="petstore"';
const HOW = 'Send it as "Authorization: Bearer <API key>".';

export const INVALID = unauthorized('invalid_api_key', 'The API key is not valid.');
export const EXPIRED = unauthorized('api_key_expired', 'The API key has expired. Use another one.');
export const REVOKED = unauthorized('api_key_revoked', 'The API key was revoked. Use another one.');
export const PAUSED = unauthorized('api_key_paused', 'The API key is paused. Resume it, or use another one.');
/** With a challenge, because a key of another account would be accepted (RFC 9110, section 11.6.1). */
export const SUSPENDED = problem(
  'account_suspended',
  'The account of this API key is suspended. Contact the operator of the service.',
  { 'www-authenticate': REALM },
);

/** What decides whether a key is valid. */
export type KeyState = Pick<ApiKey, 'revokedAt' | 'expiresAt' | 'pausedAt' | 'account'>;

/** The 401 of a key that is not valid at a time, in Unix time in milliseconds, or the 403 of one of a suspended account. */
export function refusalOf({ revokedAt, expiresAt, pausedAt, account }: KeyState, atMs: number): Problem | undefined {
  if (revokedAt !== null) return REVOKED;
  if (expiresAt !== null && expiresAt <= atMs) return EXPIRED;
  if (pausedAt !== null) return PAUSED;
  return account.suspendedAt === null ? undefined : SUSPENDED;
}

export const missing = (fault: string) => unauthorized('missing_api_key', `${fault} ${HOW}`);
export const malformed = (fault: string) => unauthorized('invalid_api_key', `${fault} ${HOW}`);

export const MISSING = missing('This operation needs an API key.');
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
  const scopes = [...held];
  const has = scopes.length === 0 ? 'no scopes' : `the scopes ${listed(scopes, ', ')}`;
  const message = `This key has ${has}; this operation needs ${scope}.`;
  return insufficientScope(message, [scope]);
}
