import type { KeyKind } from '../../api-keys/index.js';
import { ApiError, type Problem, problem } from '../../errors/index.js';

/** Why a request counts as made without a valid key; always a 401. */
export interface AuthenticationFailure {
  readonly code: 'missing_api_key' | 'invalid_api_key' | 'api_key_expired' | 'api_key_revoked';
  /** For the client's developer; never contains what was sent. */
  readonly message: string;
}

const HOW = 'Send it as "Authorization: Bearer <API key>".';

export const MISSING: AuthenticationFailure = {
  code: 'missing_api_key',
  message: `This operation needs an API key. ${HOW}`,
};

export const MALFORMED: AuthenticationFailure = {
  code: 'invalid_api_key',
  message: `The Authorization header is malformed. ${HOW}`,
};

export const REPEATED: AuthenticationFailure = {
  code: 'invalid_api_key',
  message: 'Send one Authorization header, not several.',
};

export const INVALID: AuthenticationFailure = { code: 'invalid_api_key', message: 'The API key is not valid.' };

/** For a key of the other environment, by the kind of key that this service accepts. */
export const OTHER_ENVIRONMENT: Readonly<Record<KeyKind, AuthenticationFailure>> = {
  live: {
    code: 'invalid_api_key',
    message: 'This API key is for the staging environment. Production accepts keys that start with psk_live_.',
  },
  test: {
    code: 'invalid_api_key',
    message: 'This API key is for the production environment. Staging accepts keys that start with psk_test_.',
  },
};

export const EXPIRED: AuthenticationFailure = { code: 'api_key_expired', message: 'The API key has expired.' };

export const REVOKED: AuthenticationFailure = { code: 'api_key_revoked', message: 'The API key was revoked.' };

const REALM = 'Bearer realm="petstore"';
const REALM_INVALID_TOKEN = `${REALM}, error="invalid_token"`;

/** Value of WWW-Authenticate for a refusal: an error is named only where a token was sent (RFC 6750, section 3.1). */
export function challenge(refusal: AuthenticationFailure): string {
  return refusal.code === 'missing_api_key' ? REALM : REALM_INVALID_TOKEN;
}

/** The 401 of a request without a valid key. */
export function unauthorized(failure: AuthenticationFailure): Problem {
  return problem(failure.code, failure.message, { 'www-authenticate': challenge(failure) });
}

/** The 403 of a valid key; `message` names what it lacks, as `scopes` do for machines (RFC 6750, section 3.1). */
export function insufficientScope(message: string, scopes: readonly string[]): ApiError {
  const headers = { 'www-authenticate': `${REALM}, error="insufficient_scope", scope="${scopes.join(' ')}"` };
  return new ApiError('insufficient_scope', message, headers);
}

/** The 403 of a valid key that lacks the scope of the operation. */
export function scopeNeeded(scope: string): ApiError {
  return insufficientScope(`This operation needs a key with the scope ${scope}.`, [scope]);
}
