import { type KeyRefusal, MALFORMED, MISSING, REPEATED } from './key-refusal.js';

/** The parts of a FastifyRequest that can carry a bearer token. */
export interface BearerRequest {
  readonly headers: { readonly authorization?: string | undefined };
  readonly raw: { readonly rawHeaders: readonly string[] };
}

const NAME = 'authorization';
/** The scheme in any case, one or more spaces, then a token68 (RFC 9110, section 11.2; RFC 6750, section 2.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const SCHEME = /^bearer(?:$|[ \t])/i;
const SCHEME_ALONE = /^bearer[ \t]*$/i;

/** The bearer token that a request carries, or why it carries none. Does not say whether the token is a valid key. */
export function readBearerToken(request: BearerRequest): string | KeyRefusal {
  const header = request.headers.authorization;
  if (header === undefined) return MISSING;
  if (isRepeated(request.raw.rawHeaders)) return REPEATED;
  const token = BEARER.exec(header)?.[1];
  if (token !== undefined) return token;
  // Another scheme, or no token after this one, is a request without a token rather than with a bad one.
  return SCHEME.test(header) && !SCHEME_ALONE.test(header) ? MALFORMED : MISSING;
}

/** Of several Authorization headers Node keeps the first; only the raw list (name, value, name, ...) has them all. */
function isRepeated(rawHeaders: readonly string[]): boolean {
  let found = false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name === undefined || name.length !== NAME.length || name.toLowerCase() !== NAME) continue;
    if (found) return true;
    found = true;
  }
  return false;
}
