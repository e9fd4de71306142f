import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors/index.js';
import { isRepeated } from './repeated-header.js';

/** uri-host with an optional port, as far as characters go (RFC 9110 section 7.2). */
const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

/** What is wrong with the Host header; RFC 9112 section 3.2 asks for 400 where it is missing, repeated or malformed. */
export function hostFault({ httpVersion, headers, rawHeaders }: IncomingMessage): ApiError | undefined {
  const { host } = headers;
  if (host === undefined ? httpVersion === '1.0' : HOST.test(host) && !isRepeated(rawHeaders, 'host')) return undefined;
  return new ApiError('validation_failed', 'The request must have one Host header, with the name of this service.');
}
