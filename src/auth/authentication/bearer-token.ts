import { isRepeated } from '../../http/index.js';
import { type AuthenticationFailure, MALFORMED, MISSING, REPEATED } from './refusals.js';

/** The parts of a FastifyRequest that can carry a bearer token. */
export interface BearerRequest {
  readonly headers: { readonly authorization?: string | undefined };
  readonly raw: { readonly rawHeaders: readonly string[] };
}

/** The scheme in any case, one or more spaces, then a token68 (RFC 9110, section 11.2; RFC 6750, section 2.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const SCHEME = /^bearer(?:$|[ \t])/i;
const SCHEME_ALONE = /^bearer[ \t]*$/i;

/** The bearer token that a request carries, or why it carries none. Does not say whether the token is a valid key. */
export function readBearerToken(request: BearerRequest): string | AuthenticationFailure {
  const header = request.headers.authorization;
  if (header === undefined) return MISSING;
  if (isRepeated(request.raw.rawHeaders, 'authorization')) return REPEATED;
  const token = BEARER.exec(header)?.[1];
  if (token !== undefined) return token;
  // Another scheme, or no token after this one, is a request without a token rather than with a bad one.
  return SCHEME.test(header) && !SCHEME_ALONE.test(header) ? MALFORMED : MISSING;
}
