import type { HeaderObject, HeadersObject, ReferenceObject } from '@nestjs/swagger';

type Schema = Exclude<NonNullable<HeaderObject['schema']>, ReferenceObject>;

function header(description: string, schema: Schema, example: string | number, required = true): HeaderObject {
  return { description, schema, example, required };
}

function text(maxLength: number, pattern: string): Schema {
  return { type: 'string', maxLength, pattern };
}

function count(minimum: number, maximum: number): Schema {
  return { type: 'integer', format: 'int32', minimum, maximum };
}

function words(...values: readonly string[]): Schema {
  return { type: 'string', enum: [...values] };
}

/** No slash at an end: some generators read it as the delimiter of a regular expression. */
const MEDIA_TYPES = '^[a-z]+/[a-z]';
const MOST_REQUESTS = 1_000_000_000;
const DAY_SECONDS = 86_400;
/** The end of the year 9999, in Unix time in seconds; later years have five digits. */
const LAST_SECOND = 253_402_300_799;
/** Addresses begin with BASE_URL, which may have 2,084 characters. */
const MAX_ADDRESS_LENGTH = 2_200;

const HEADERS = {
  Limit: header('The limit of the window (minute or day) with fewer requests left.', count(1, MOST_REQUESTS), 300),
  Left: header('Requests remaining in that window.', count(0, MOST_REQUESTS), 299),
  Reset: header(
    'Unix timestamp, in seconds, at which that window ends and its limit resets.',
    { type: 'integer', format: 'int64', minimum: 0, maximum: LAST_SECOND },
    1_795_219_260,
  ),
  Id: header(
    'Identifies the request in the logs of the service. The value that the client sent, or a new one.',
    text(64, '^[A-Za-z0-9_.-]+$'),
    '0b5f1a4e-6f0e-4a43-9d1f-3f6f1d1c2b7a',
  ),
  'Cache-Control': header('`no-store`: caches must not store the response.', words('no-store'), 'no-store'),
  ETag: header(
    'Strong validator of the response (RFC 9110), for If-None-Match and If-Match.',
    text(24, '^"[A-Za-z0-9_-]+"$'),
    '"nBd0J5nWlMGkLhEPUvh3Yw"',
  ),
  'Retry-After': header('Seconds to wait before the next attempt.', count(1, DAY_SECONDS), 42),
  'WWW-Authenticate': header(
    'The challenge of RFC 6750. It has an `error` only if a key was sent.',
    text(1_024, '^Bearer realm="petstore"'),
    'Bearer realm="petstore"',
  ),
  Accept: header(
    'Media types of bodies that the operation accepts.',
    text(100, MEDIA_TYPES),
    'application/json',
    false,
  ),
  'Accept-Patch': header(
    'The same as `Accept`, for PATCH (RFC 5789).',
    text(100, MEDIA_TYPES),
    'application/json',
    false,
  ),
  'Accept-Encoding': header(
    'Content codings that the operation accepts. Present if the body was compressed.',
    words('identity'),
    'identity',
    false,
  ),
  Location: header(
    'Address of the created resource.',
    { type: 'string', format: 'uri-reference', maxLength: MAX_ADDRESS_LENGTH },
    '/v1/pets/6',
  ),
  Link: header(
    'The next page as `rel="next"` (RFC 8288); absent on the last page.',
    text(2 * MAX_ADDRESS_LENGTH, '^<[^>]+>; rel="next"$'),
    '</v1/pets?limit=20&after=20>; rel="next"',
    false,
  ),
  Help: header(
    'The documentation of the error as `rel="help"` (RFC 8288).',
    text(2 * MAX_ADDRESS_LENGTH, '<[^>]+>; rel="help"$'),
    '</docs/errors#rate_limit_exceeded>; rel="help"',
  ),
  'Preference-Applied': header(
    'The preference that the service applied (RFC 7240); otherwise absent.',
    text(100, '^[a-z]+='),
    'wait=20',
    false,
  ),
  'Idempotent-Replayed': header(
    '`true` if this is the stored response to an earlier request; otherwise absent.',
    words('true'),
    'true',
    false,
  ),
  Deprecation: header(
    'When the operation was deprecated, as a Unix timestamp (RFC 9745).',
    text(20, '^@[0-9]+$'),
    '@1795219200',
  ),
  Sunset: header(
    'When the operation will be removed (RFC 8594).',
    text(29, '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} 00:00:00 GMT$'),
    'Thu, 05 Dec 2030 00:00:00 GMT',
  ),
  DeprecationLink: header(
    'The replacement as `rel="successor-version"`, and the documentation of the deprecation as `rel="deprecation"`.',
    text(2 * MAX_ADDRESS_LENGTH, '^<[^>]+>; rel="successor-version", <[^>]+>; rel="deprecation"'),
    '</v1/pets?ids=1>; rel="successor-version", </docs#/Pets/getPet>; rel="deprecation"; type="text/html"',
  ),
} satisfies Record<string, HeaderObject>;

export type HeaderName = keyof typeof HEADERS;

/** Headers that only some responses of a status have. */
const OPTIONAL = ['Retry-After', 'Deprecation', 'Sunset', 'DeprecationLink'] as const satisfies readonly HeaderName[];

/** Header names whose components have another name: a short one, because each response refers to it. */
const WIRE_NAMES: Partial<Record<HeaderName, string>> = {
  Limit: 'X-RateLimit-Limit',
  Left: 'X-RateLimit-Remaining',
  Reset: 'X-RateLimit-Reset',
  Id: 'X-Request-Id',
  DeprecationLink: 'Link',
  Help: 'Link',
};

/** Headers of every response of the versioned API. The description of the service has those for caches and browsers. */
export const COMMON_HEADERS: readonly HeaderName[] = ['Limit', 'Left', 'Reset', 'Id'];

export function headerReferences(names: readonly HeaderName[], prefix = ''): Record<string, ReferenceObject> {
  return Object.fromEntries(names.map((name) => [wireName(name), { $ref: `#/components/headers/${prefix}${name}` }]));
}

function wireName(name: string): string {
  return WIRE_NAMES[name as HeaderName] ?? name;
}

/** Those of the components, and those that only texts describe. */
export const DESCRIBED_HEADERS: ReadonlySet<string> = new Set([
  ...Object.keys(HEADERS).map(wireName),
  'RateLimit',
  'RateLimit-Policy',
  'X-Content-Type-Options',
  'Vary',
  'Date',
  'Allow',
]);

export function optionalHeaders(names: readonly (typeof OPTIONAL)[number][]): Record<string, ReferenceObject> {
  return headerReferences(names, 'Optional');
}

export const HEADER_COMPONENTS: HeadersObject = {
  ...HEADERS,
  ...Object.fromEntries(OPTIONAL.map((name) => [`Optional${name}`, { ...HEADERS[name], required: false }])),
};
