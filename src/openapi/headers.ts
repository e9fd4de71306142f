import type { HeaderObject, HeadersObject, ReferenceObject } from '@nestjs/swagger';

function header(description: string, schema: object, example: string | number, required = true): HeaderObject {
  return { description, schema, example, required };
}

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };

/** Every response header that an operation can answer with. */
export const HEADERS = {
  'X-RateLimit-Limit': header('The limit that applies at the moment: of the window, minute or day, with fewer requests left.', count, 300),
  'X-RateLimit-Remaining': header('Requests that remain in that window.', count, 299),
  'X-RateLimit-Reset': header('When that window ends and its limit resets, as a Unix timestamp in seconds.', count, 1795219260),
  'X-Request-Id': header('Identifies this request in the logs of the service. One sent with the request comes back.', text, '0b5f1a4e-6f0e-4a43-9d1f-3f6f1d1c2b7a'),
  'X-Content-Type-Options': header('Always `nosniff`.', { ...text, enum: ['nosniff'] }, 'nosniff'),
  'Cache-Control': header('`no-store`: the answer is for this moment and this caller only.', { ...text, enum: ['no-store'] }, 'no-store'),
  PrivateCacheControl: header(
    '`private, no-cache`: no shared cache keeps the answer, and a private one asks whether it is still true.',
    { ...text, enum: ['private, no-cache'] },
    'private, no-cache',
  ),
  Vary: header('Who else asks may get another answer: `Authorization`, and `Origin` where browsers may call.', text, 'Authorization'),
  ETag: header('Strong validator of the answer (RFC 9110), for If-None-Match and If-Match.', { ...text, pattern: '^"[A-Za-z0-9_-]+"$' }, '"nBd0J5nWlMGkLhEPUvh3Yw"'),
  'Retry-After': header('Seconds after which to try again.', { ...count, minimum: 1 }, 42),
  'WWW-Authenticate': header('The challenge of RFC 6750; `error` is there only where a key was sent.', text, 'Bearer realm="petstore"'),
  Location: header('Address of what was created.', { ...text, format: 'uri-reference' }, '/v1/pets/6'),
  Link: header('The next page as `rel="next"` (RFC 8288), while there is one.', text, '</v1/pets?limit=20&after=20>; rel="next"', false),
  Deprecation: header('When the operation was deprecated, as a Unix timestamp (RFC 9745).', { ...text, pattern: '^@[0-9]+$' }, '@1795219200'),
  Sunset: header('When the operation will be removed (RFC 8594).', text, 'Thu, 05 Dec 2030 00:00:00 GMT'),
  DeprecationLink: header(
    'What to use instead as `rel="successor-version"`, and the words about it as `rel="deprecation"`.',
    text,
    '</v1/pets>; rel="successor-version", </docs#/Pets/getPet>; rel="deprecation"; type="text/html"',
  ),
} satisfies Record<string, HeaderObject>;

/** Name of a header, or of one use of it where it has several. */
export type HeaderName = keyof typeof HEADERS;

/** What the uses of a header that has several are called on the wire. */
const USES: Partial<Record<HeaderName, string>> = { DeprecationLink: 'Link', PrivateCacheControl: 'Cache-Control' };

/** Headers of every response of the versioned API; where it is `no-store`, Cache-Control has that use in place of this one. */
export const COMMON_HEADERS: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Content-Type-Options',
  'PrivateCacheControl',
  'Vary',
];

export function headerReferences(names: readonly HeaderName[]): Record<string, ReferenceObject> {
  return Object.fromEntries(names.map((name) => [onTheWire(name), { $ref: `#/components/headers/${name}` }]));
}

/** The headers where they may be missing, which a reference has no way to say. */
export function optionalHeaders(names: readonly HeaderName[]): HeadersObject {
  return Object.fromEntries(names.map((name) => [onTheWire(name), { ...HEADERS[name], required: false }]));
}

function onTheWire(name: HeaderName): string {
  return USES[name] ?? name;
}
