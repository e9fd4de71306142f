import type { HeaderObject, HeadersObject } from '@nestjs/swagger';

function header(description: string, schema: object, example: string | number, required = false): HeaderObject {
  return { description, schema, example, required };
}

const text = { type: 'string' };
const integer = { type: 'integer' };

/** Every response header that an operation can answer with. */
export const HEADERS = {
  'X-RateLimit-Limit': header('The limit that applies at the moment: of the window, minute or day, with fewer requests left.', integer, 300, true),
  'X-RateLimit-Remaining': header('Requests that remain in that window.', integer, 299, true),
  'X-RateLimit-Reset': header('When that window ends and its limit resets, as a Unix timestamp in seconds.', integer, 1795219260, true),
  'X-Request-Id': header('Identifies this request in the logs of the service. One sent with the request comes back.', text, '0b5f1a4e-6f0e-4a43-9d1f-3f6f1d1c2b7a', true),
  'X-Content-Type-Options': header('Always `nosniff`.', { ...text, enum: ['nosniff'] }, 'nosniff', true),
  'Cache-Control': header('`no-store`: the answer is for this moment and this caller only.', text, 'no-store'),
  'Retry-After': header('Seconds after which to try again.', { ...integer, minimum: 1 }, 42, true),
  'WWW-Authenticate': header('The challenge of RFC 6750; `error` is there only where a key was sent.', text, 'Bearer realm="petstore"', true),
  Location: header('Address of what was created.', { ...text, format: 'uri-reference' }, '/v1/pets/7', true),
  Link: header('Related addresses (RFC 8288), such as the next page as `rel="next"`.', text, '</v1/pets?limit=20&after=20>; rel="next"'),
  Deprecation: header('When the operation was deprecated (RFC 9745).', text, '@1795219200', true),
  Sunset: header('When the operation will be removed (RFC 8594).', text, 'Thu, 05 Dec 2030 00:00:00 GMT', true),
} satisfies Record<string, HeaderObject>;

export type HeaderName = keyof typeof HEADERS;

/** Headers of every response of the versioned API. */
export const COMMON_HEADERS: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Content-Type-Options',
];

export function headerReferences(names: readonly HeaderName[]): HeadersObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
