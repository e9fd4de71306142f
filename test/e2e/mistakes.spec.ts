import { describe, expect, it } from '@jest/globals';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { queryDatabase } from '../support/databases.js';
import { type ErrorObject, errorOf } from '../support/expectations.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { type Ask, ask, JSON_TYPE } from '../support/http.js';
import { captureOutput } from '../support/main-program.js';
import { BODY_MISTAKES, JSON_MISTAKES, MEDIA_TYPE_MISTAKES, OTHER_BODY_MISTAKES } from '../support/mistakes/bodies.js';
import { HEADERS_WITHOUT_KEY, MISPLACED_KEYS, ODD_KEYS } from '../support/mistakes/keys.js';
import { PATH_MISTAKES, QUERY_MISTAKES } from '../support/mistakes/targets.js';
import { sendRaw } from '../support/raw.js';
import { until } from '../support/until.js';

/** People read no longer messages. */
const LONGEST = 200;
/** Fewest characters in a row that count as a part of a key. */
const PART = 5;

const PREFIX = 'psk_live_'.length;

const PET = '{"name":"Bella","categoryId":1}';

const output = captureOutput();
let key: string;
sharePreparedApp({ env: { LOG_LEVEL: 'trace', CORS_ORIGINS: '*', ANONYMOUS_PER_MINUTE: '1000' } }, async () => {
  key = await service.key({ scopes: SCOPES });
  await service.post('/v1/pets', key, PET);
});

/** Parts of the key's secret that a text has. */
function partsIn(text: string): string[] {
  const secret = key.slice(PREFIX);
  const parts = Array.from({ length: secret.length - PART + 1 }, (_, at) => secret.slice(at, at + PART));
  return parts.filter((part) => text.includes(part));
}

/** The error that a request gets. Whatever it is, it is short, and has no part of the key. */
async function errorTo(request: Ask): Promise<ErrorObject> {
  const error = await errorOf(await ask(service.port, { key, ...request }));
  expect(partsIn(error.message)).toEqual([]);
  expect(error.message.length).toBeLessThanOrEqual(LONGEST);
  return error;
}

const send = (method: string, path: string, body: string, headers: Ask['headers'] = JSON_TYPE) =>
  errorTo({ method, path, body, headers });
const withHeader = (Authorization: string): Ask => ({ path: '/v1/pets', key: undefined, headers: { Authorization } });
const invalid = (message: string) => ({ status: 400, code: 'validation_failed', message });

describe('a body', () => {
  it.each(BODY_MISTAKES)('of a new pet is refused in words that help: %s', async (body, message) => {
    expect(await send('POST', '/v1/pets', body)).toEqual(invalid(message));
  });

  it.each(OTHER_BODY_MISTAKES)('is refused in words that help: %s %s %s', async (method, path, body, message) => {
    expect(await send(method, path, body)).toEqual(invalid(message));
  });

  it.each(JSON_MISTAKES)('that is not JSON is refused with the place of the fault: %j', async (body, message) => {
    expect(await send('POST', '/v1/pets', body)).toEqual({ status: 400, code: 'malformed_json', message });
  });

  it('that is not JSON, and long or deep, is refused without a place', async () => {
    for (const body of [`{"name":"${'x'.repeat(1_000)}"`, '['.repeat(16_000)])
      expect((await send('POST', '/v1/pets', body)).message).toBe('The request body is not valid JSON.');
  });

  it.each(MEDIA_TYPE_MISTAKES)('of another media type is refused, and a usual one named: %s', async (type, message) => {
    const error = await send('POST', '/v1/pets', PET, { 'Content-Type': type });
    expect(error).toEqual({ status: 415, code: 'unsupported_media_type', message });
  });

  it('that is too large is refused with its size, if that is known', async () => {
    const body = ' '.repeat(20_000);
    const message = 'The request body must not exceed 16384 bytes.';
    const tooLarge = { status: 413, code: 'payload_too_large', message };
    const chunked = { ...JSON_TYPE, 'Transfer-Encoding': 'chunked', 'Content-Length': [] };
    expect(await send('POST', '/v1/pets', body, chunked)).toEqual(tooLarge);
    const known = { ...tooLarge, message: message.replace('.', ', but has 20000.') };
    expect(await send('POST', '/v1/pets', body)).toEqual(known);
  });
});

describe('a target', () => {
  it.each(QUERY_MISTAKES)('with a query that is not valid is refused in words that help: %s', async (path, message) => {
    expect(await errorTo({ path })).toEqual(invalid(message));
  });

  it.each(PATH_MISTAKES)('that does not exist gets the path that was meant: %s', async (path, meant) => {
    const advice = meant === '' ? 'The page /docs shows all paths.' : `Did you mean ${meant}?`;
    const message = `This path does not exist. ${advice}`;
    for (const method of ['GET', 'PUT'])
      expect(await errorTo({ method, path })).toEqual({ status: 404, code: 'route_not_found', message });
  });

  it.each<[path: string, message: string, code?: string]>([
    ['/v1/pets/abc', 'There is no pet with that identifier. It must be an integer from 1 to 9223372036854775807.'],
    ['/v1/pets/{petId}', 'There is no pet with that identifier. Replace {petId} with it.'],
    ['/v1/pets/:petId', 'There is no pet with that identifier. Replace {petId} with it.'],
    ['/v1/pets/%7Bid%7D', 'There is no pet with that identifier. Replace {petId} with it.'],
    ['/v1/pets/<petId>', 'There is no pet with that identifier. Replace {petId} with it.'],
    ['/v1/pets/404404', 'There is no pet with the identifier "404404".'],
    ['/v1/categories/-5', 'There is no category with the identifier "-5".', 'category_not_found'],
  ])('with an identifier that cannot exist says what one is: %s', async (path, message, code = 'pet_not_found') => {
    expect(await errorTo({ path })).toEqual({ status: 404, code, message });
  });

  it.each(['/v1/keys/{keyId}', '/v1/keys/{id}/usage'])(
    'with a placeholder says what it stands for: %s',
    async (path) => {
      const manager = await service.key({ scopes: ['keys:manage'] });
      const { message } = await errorOf(await service.request(path, { key: manager }));
      expect(message).toBe('There is no API key with this id. Replace {keyId} with it.');
    },
  );

  it.each([
    ['"another"', 'Get the resource again before you retry.'],
    ['another', 'Send the ETag as the service returned it, in double quotes.'],
    [
      'W/"another"',
      'A weak one (W/) never matches: a proxy that compresses responses may have made it weak. Get it with Accept-Encoding: identity.',
    ],
  ])('with the ETag %s says what to do', async (etag, advice) => {
    const { message } = await send('PATCH', '/v1/pets/1', '{}', { ...JSON_TYPE, 'If-Match': etag });
    expect(message).toBe(`If-Match does not name the current ETag. ${advice}`);
  });

  it('that does not exist and is long, or has a key, quotes nothing', async () => {
    expect((await errorTo({ path: `/v1/pet/${key}` })).message).toContain('Did you mean /v1/pets/{petId}?');
    expect((await errorTo({ path: `/v1/pets/${'x'.repeat(100)}/` })).message).toContain('The page /docs');
  });

  it.each([
    ['DELETE', '/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['PUT', '/v1/pets/1', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['POST', '/v1/pets/1', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['POST', '/v1/usage', 'GET, HEAD, OPTIONS'],
  ])('that does not support a method names those it does: %s %s', async (method, path, supported) => {
    const message = `This path does not support ${method}. It supports ${supported}.`;
    expect(await errorTo({ method, path })).toEqual({ status: 405, code: 'method_not_allowed', message });
  });
});

describe('a key', () => {
  it.each(HEADERS_WITHOUT_KEY)('is missing in an Authorization header with %s', async (_, header, message) => {
    const error = await errorTo(withHeader(header(key)));
    expect(error).toEqual({ status: 401, code: 'missing_api_key', message });
  });

  it.each(ODD_KEYS)('is refused for its form with %s', async (_, header, message) => {
    const error = await errorTo(withHeader(header(key)));
    expect(error).toEqual({ status: 401, code: 'invalid_api_key', message });
  });

  it.each(MISPLACED_KEYS)('is missing %s', async (_, request, message) => {
    const error = await errorTo({ ...request(key), key: undefined });
    expect(error).toEqual({ status: 401, code: 'missing_api_key', message });
  });

  it('without the scope of the operation is told its own scopes, as many as there is room for', async () => {
    const narrow = await service.key({ scopes: ['pets:read', 'orders:read'] });
    expect(await errorTo({ method: 'POST', path: '/v1/pets', key: narrow })).toEqual({
      status: 403,
      code: 'insufficient_scope',
      message: 'This key has the scopes pets:read, orders:read; this operation needs pets:write.',
    });
    const wide = await service.key({ scopes: SCOPES.filter((scope) => scope !== 'pets:write') });
    expect((await errorTo({ method: 'POST', path: '/v1/pets', key: wide })).message).toBe(
      'This key has the scopes pets:read, categories:read, categories:write, orders:read, orders:write, usage:read, and more; this operation needs pets:write.',
    );
  });
});

async function wholeText(request: Ask): Promise<string> {
  const response = await ask(service.port, { key, ...request });
  return `${JSON.stringify([...response.headers])} ${await response.text()}`;
}

const post = (body: unknown, path = '/v1/pets'): Ask => ({
  method: 'POST',
  path,
  headers: JSON_TYPE,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const preflight = (headers: Record<string, string>): Ask => ({
  method: 'OPTIONS',
  path: '/v1/pets',
  headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'GET', ...headers },
});
const secret = () => key.slice(PREFIX);

/** Each shows a key as it is, without its prefix, and in two halves. */
const PLACES: [string, (text: string) => Ask][] = [
  ['a path', (text) => ({ path: `/v1/pets/${text}` })],
  ['a path of another resource', (text) => ({ path: `/v1/categories/${text}` })],
  ['a path of orders', (text) => ({ path: `/v1/store/orders/${text}` })],
  ['a path of keys', (text) => ({ path: `/v1/keys/${text}` })],
  ['an unknown path', (text) => ({ path: `/v1/${text}` })],
  ['an unknown path outside', (text) => ({ path: `/${text}` })],
  ['a path with another method', (text) => ({ method: 'PUT', path: `/v1/pets/${text}` })],
  ['a method', (text) => ({ method: 'GET', path: '/v1/pets', headers: { 'X-HTTP-Method-Override': text } })],
  ['the name of a query parameter', (text) => ({ path: `/v1/pets?${text}=1` })],
  ['the name of a repeated query parameter', (text) => ({ path: `/v1/pets?${text}=1&${text}=2` })],
  ['a query parameter', (text) => ({ path: `/v1/pets?status=${text}` })],
  ['the name of a query parameter where none is taken', (text) => ({ path: `/v1/pets/1?${text}=1` })],
  ['the name of a field', (text) => post({ name: 'x', categoryId: 1, [text]: 1 })],
  ['a field', (text) => post({ name: 'x', categoryId: text, status: text })],
  ['the name of a repeated field', (text) => post(`{"name":"x","categoryId":1,"${text}":1,"${text}":2}`)],
  ['a body that is no JSON', (text) => post(`{"name":${text}}`)],
  ['a scope', (text) => post({ scopes: [text] }, '/v1/keys')],
  ['the request id', (text) => ({ path: '/v1/pets', headers: { 'X-Request-Id': `id.psk_live_${text}` } })],
  ['the method of a preflight', (text) => preflight({ 'Access-Control-Request-Method': text })],
  ['the header names of a preflight', (text) => preflight({ 'Access-Control-Request-Headers': text })],
  [
    'If-Match',
    (text) => ({ ...post({}), method: 'PATCH', path: '/v1/pets/1', headers: { ...JSON_TYPE, 'If-Match': text } }),
  ],
  ['the media type', (text) => ({ ...post({}), headers: { 'Content-Type': `application/${text}` } })],
  ['an encoding', (text) => ({ ...post({}), headers: { ...JSON_TYPE, 'Content-Encoding': text } })],
  [
    'an invalid Idempotency-Key',
    (text) => ({
      ...post({ name: 'x', categoryId: 1 }),
      headers: { ...JSON_TYPE, 'Idempotency-Key': text.repeat(20) },
    }),
  ],
];

describe('an API key that was put', () => {
  it.each(PLACES)('into %s is never returned, not even in part', async (_, request) => {
    for (const text of [key, secret(), secret().slice(0, 30)]) {
      expect(partsIn(JSON.stringify(request(text)))).not.toEqual([]);
      expect(partsIn(await wholeText(request(text)))).toEqual([]);
    }
    expect(partsIn(await wholeText({ ...request(secret()), key: undefined }))).toEqual([]);
  });

  it('into malformed HTTP is never returned', async () => {
    for (const line of [`${key} /v1/pets HTTP/1.1`, `GET /v1/${key} HTTP/9.9`, `GET /v1/pets HTTP/1.1\r\n${key}`]) {
      const response = await sendRaw(service.port, `${line}\r\nHost: x\r\n\r\n`);
      expect(response).toMatch(/^HTTP\/1\.1 [45]/);
      expect(partsIn(response)).toEqual([]);
    }
  });

  it('anywhere is neither in the log nor in the metrics nor in the audit records', async () => {
    const { headers } = await ask(service.port, { key, path: '/v1/pets' });
    await until(() => output().includes(headers.get('x-request-id') ?? 'no id'));
    expect(partsIn(output())).toEqual([]);
    expect(partsIn(await wholeText({ path: '/metrics' }))).toEqual([]);
    expect(partsIn(JSON.stringify(await queryDatabase(service.folder, 'SELECT * FROM audit_records')))).toEqual([]);
  });
});

describe('an unknown name', () => {
  it.each(['nmae', 'categoryID', 'pet_name', 'pet-name', '__proto__', 'Name', 'ids[]', 'x1'])(
    'is quoted if it is harmless: %s',
    async (name) => {
      expect(await wholeText(post(`{"name":"x","categoryId":1,"${name}":1}`))).toContain(
        `\\"${name}\\" is not a known field`,
      );
      expect(await wholeText({ path: `/v1/pets?${name}=1` })).toContain(`\\"${name}\\" is not a known query parameter`);
    },
  );

  it.each(['a'.repeat(21), 'psk_live_abc', 'xPskLive', 'a b', '<script>', 'né'])(
    'is not quoted if it could be a key: %s',
    async (name) => {
      expect(await wholeText(post({ name: 'x', categoryId: 1, [name]: 1 }))).toContain('an unknown field was sent');
      expect(await wholeText({ path: `/v1/pets?${encodeURIComponent(name)}=1` })).toContain(
        'an unknown query parameter was sent',
      );
    },
  );

  it('is reported together with the faults of known fields', async () => {
    expect(await wholeText(post({ [secret()]: 1, [key]: 1, name: '', nmae: 1, categoryId: 1 }))).toMatch(
      /an unknown field was sent \(known: [^)]*\); \\"nmae\\" is not a known field \(did you mean name\?\); name must have 1 to/,
    );
  });
});
