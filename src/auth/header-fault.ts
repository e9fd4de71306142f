import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Problem } from '../platform/errors/error-codes.js';
import { HOW, MISSING, unauthorized } from './caller.js';

export interface BearerRequest extends Pick<FastifyRequest, 'url'> {
  readonly headers: IncomingMessage['headers'];
  readonly raw: Pick<IncomingMessage, 'rawHeaders'>;
}

const missing = (fault: string) => unauthorized('missing_api_key', `${fault} ${HOW}`);
const malformed = (fault: string) => unauthorized('invalid_api_key', `${fault} ${HOW}`);

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

/** The 401 of a request without a bearer token. It never quotes the request. */
export function headerFault({ url, headers }: BearerRequest): Problem {
  const { authorization } = headers;
  if (authorization !== undefined) return MISTAKES.find(([mistake]) => mistake.test(authorization))?.[1] ?? MISSING;
  if (headers['x-api-key'] !== undefined) return IN_HEADER;
  return /[?&](?:api_?key|access_token|token|key)=/i.test(url) ? IN_QUERY : MISSING;
}
