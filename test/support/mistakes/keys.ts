import type { Ask } from '../http.js';

const how = (fault: string) => `${fault} Send it as "Authorization: Bearer <API key>".`;
const NO_BEARER = how('The Authorization header does not begin with Bearer and a space.');
const QUOTED = how('The key is in quotes.');
const PLACEHOLDER = how('The key is a placeholder or a variable without its value.');
const INVALID = 'The API key is not valid.';
const ODD = how('The key in the Authorization header contains invalid characters.');
const PREFIX = `${INVALID} Keys of this service start with psk_live_.`;
const lengthOf = (length: number) => `${INVALID} It has ${length} characters instead of 45. Copy it whole.`;

type Mistake = readonly [name: string, header: (key: string) => string, message: string];

/** Authorization headers without a key after Bearer, and the message of the 401 `missing_api_key`. */
export const HEADERS_WITHOUT_KEY: readonly Mistake[] = [
  ['the key alone', (key) => key, how('The word Bearer is missing before the key.')],
  ['nothing', () => '', NO_BEARER],
  ['Bearer alone', () => 'Bearer', how('The key after Bearer is missing; a variable may be empty.')],
  ['Bearer and a space', () => 'Bearer ', how('The key after Bearer is missing; a variable may be empty.')],
  ['Basic', () => 'Basic dXNlcjpwYXNz', how('The Authorization header has the scheme Basic, not Bearer.')],
  ['a colon', (key) => `Bearer: ${key}`, NO_BEARER],
  ['another scheme', (key) => `Token ${key}`, NO_BEARER],
  ['another scheme before it', (key) => `Digest Bearer ${key}`, NO_BEARER],
  ['no space', (key) => `Bearer${key}`, NO_BEARER],
  ['quotes around all', (key) => `"Bearer ${key}"`, NO_BEARER],
];

/** Authorization headers with an odd key, and the message of the 401 `invalid_api_key`. */
export const ODD_KEYS: readonly Mistake[] = [
  ['Bearer twice', (key) => `Bearer Bearer ${key}`, how('The word Bearer appears twice.')],
  ['double quotes', (key) => `Bearer "${key}"`, QUOTED],
  ['single quotes', (key) => `Bearer '${key}'`, QUOTED],
  ['angle brackets', (key) => `Bearer <${key}>`, PLACEHOLDER],
  ['the placeholder of the manual', () => 'Bearer <API key>', PLACEHOLDER],
  ['a shell variable', () => 'Bearer $API_KEY', PLACEHOLDER],
  ['a template', () => 'Bearer {{key}}', PLACEHOLDER],
  ['a comma after it', (key) => `Bearer ${key},`, ODD],
  ['a space within', (key) => `Bearer ${key.slice(0, 20)} ${key.slice(20)}`, ODD],
  ['a tab before it', (key) => `Bearer\t${key}`, ODD],
  ['a character less', (key) => `Bearer ${key.slice(0, -1)}`, lengthOf(44)],
  ['a character more', (key) => `Bearer ${key}x`, lengthOf(46)],
  ['the dots of the manual', () => 'Bearer psk_live_...', lengthOf(12)],
  ['the prefix of another service', (key) => `Bearer ${key.replace('psk', 'sk')}`, PREFIX],
  ['no prefix', (key) => `Bearer ${key.slice(9)}`, PREFIX],
  ['capital letters', (key) => `Bearer ${key.toUpperCase()}`, PREFIX],
  [
    'the identifier of a key',
    () => 'Bearer key_0123456789abcdef',
    'The API key is not valid. It is the identifier of a key. Keys of this service start with psk_live_.',
  ],
  ['a JSON Web Token', () => 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.abc', PREFIX],
  ['a hyphen', (key) => `Bearer ${key.slice(0, -1)}-`, `${INVALID} Only letters and digits can follow psk_live_.`],
  [
    'a typing error',
    (key) => `Bearer ${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`,
    'The API key is not valid. It has a typing error: its checksum does not match.',
  ],
  [
    'a key of staging',
    () => 'Bearer psk_test_00000000000000000000000000000000iRZ7',
    'The API key is not valid. It is for the staging environment. Keys of this service start with psk_live_.',
  ],
  ['a key that nobody was given', () => 'Bearer psk_live_0123456789ABCDEFGHIJabcdefghij1yIOLq', INVALID],
];

const IN_HEADER = how('The service does not read X-API-Key.');
const IN_QUERY = how('The service reads no key in the query, where logs would show it.');

/** Requests with the key in another place, and the message of the 401 `missing_api_key`. */
export const MISPLACED_KEYS: readonly (readonly [name: string, request: (key: string) => Ask, message: string])[] = [
  ['nowhere', () => ({ path: '/v1/pets' }), how('This operation needs an API key.')],
  ['in X-API-Key', (key) => ({ path: '/v1/pets', headers: { 'X-API-Key': key } }), IN_HEADER],
  ['in ?api_key=', (key) => ({ path: `/v1/pets?api_key=${key}` }), IN_QUERY],
  ['in &access_token=', (key) => ({ path: `/v1/pets?limit=2&access_token=${key}` }), IN_QUERY],
];
