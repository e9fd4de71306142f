/** Why a request counts as made without a valid key; always a 401. */
export interface KeyRefusal {
  readonly code: 'missing_api_key' | 'invalid_api_key' | 'api_key_expired' | 'api_key_revoked';
  /** For the client's developer; never contains what was sent. */
  readonly message: string;
}

const HOW = 'Send it as "Authorization: Bearer <API key>".';

export const MISSING: KeyRefusal = { code: 'missing_api_key', message: `This operation needs an API key. ${HOW}` };

export const MALFORMED: KeyRefusal = { code: 'invalid_api_key', message: `The Authorization header is malformed. ${HOW}` };

export const REPEATED: KeyRefusal = { code: 'invalid_api_key', message: 'Send one Authorization header, not several.' };

export const INVALID: KeyRefusal = { code: 'invalid_api_key', message: 'The API key is not valid.' };

export const EXPIRED: KeyRefusal = { code: 'api_key_expired', message: 'The API key has expired.' };

export const REVOKED: KeyRefusal = { code: 'api_key_revoked', message: 'The API key was revoked.' };

const REALM = 'Bearer realm="petstore"';
const REALM_INVALID_TOKEN = `${REALM}, error="invalid_token"`;

/** Value of WWW-Authenticate for a refusal: an error is named only where a token was sent (RFC 6750, section 3.1). */
export function challenge(refusal: KeyRefusal): string {
  return refusal.code === 'missing_api_key' ? REALM : REALM_INVALID_TOKEN;
}

/** Value of WWW-Authenticate for a valid key that lacks scopes (RFC 6750, section 3.1). */
export function scopeChallenge(scopes: readonly string[]): string {
  return `${REALM}, error="insufficient_scope", scope="${scopes.join(' ')}"`;
}
