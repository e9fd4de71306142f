import type { KeyKind } from '../../accounts/index.js';
import type { ErrorCode } from '../../platform/index.js';
import { type Problem, problem } from '../../http/index.js';

const REALM = 'Bearer realm="petstore"';
const HOW = 'Send it as "Authorization: Bearer <API key>".';

/*
 * The 401 of requests without a valid key, and the 403. Their messages never quote the request.
 */

export const MISSING = unauthorized('missing_api_key', `This operation needs an API key. ${HOW}`);

export const MALFORMED = unauthorized('invalid_api_key', `The Authorization header is malformed. ${HOW}`);

export const REPEATED = unauthorized('invalid_api_key', 'Send one Authorization header, not several.');

export const INVALID = unauthorized('invalid_api_key', 'The API key is not valid.');

/** For a key of the other environment, by the kind of key that this service accepts. */
export const OTHER_ENVIRONMENT: Readonly<Record<KeyKind, Problem>> = {
  live: unauthorized(
    'invalid_api_key',
    'This API key is for the staging environment. Production accepts keys that start with psk_live_.',
  ),
  test: unauthorized(
    'invalid_api_key',
    'This API key is for the production environment. Staging accepts keys that start with psk_test_.',
  ),
};

export const EXPIRED = unauthorized('api_key_expired', 'The API key has expired.');

export const REVOKED = unauthorized('api_key_revoked', 'The API key was revoked.');

/** WWW-Authenticate has an error only if a token was sent (RFC 6750, section 3.1). */
function unauthorized(code: ErrorCode, message: string): Problem {
  const challenge = code === 'missing_api_key' ? REALM : `${REALM}, error="invalid_token"`;
  return problem(code, message, { 'www-authenticate': challenge });
}

/** The 403 of a valid key. WWW-Authenticate has the missing `scopes` (RFC 6750, section 3.1). */
export function insufficientScope(message: string, scopes: readonly string[]): Problem {
  const headers = { 'www-authenticate': `${REALM}, error="insufficient_scope", scope="${scopes.join(' ')}"` };
  return problem('insufficient_scope', message, headers);
}

/** The 403 of a valid key that lacks the scope of the operation. */
export function scopeNeeded(scope: string): Problem {
  return insufficientScope(`This operation needs a key with the scope ${scope}.`, [scope]);
}
