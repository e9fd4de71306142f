import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../errors/index.js';

/**
 * Whether a header was sent more than once. Node keeps the first; only the raw list has all.
 * @param rawHeaders name, value, name, value, ... as Node provides them
 * @param header name in lower case
 */
export function isRepeated(rawHeaders: readonly string[], header: string): boolean {
  let found = false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name === undefined || name.length !== header.length || name.toLowerCase() !== header) continue;
    if (found) return true;
    found = true;
  }
  return false;
}

/** The characters of uri-host with an optional port (RFC 9110, section 7.2). */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

/** The error of a missing, repeated or malformed Host header (RFC 9112, section 3.2). */
export function hostFault({ httpVersion, headers, rawHeaders }: IncomingMessage): ApiError | undefined {
  const { host } = headers;
  if (host === undefined ? httpVersion === '1.0' : HOST.test(host) && !isRepeated(rawHeaders, 'host')) return undefined;
  return new ApiError('validation_failed', 'The request must have one Host header, with the name of this service.');
}
