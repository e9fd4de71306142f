import { describe, expect, it } from '@jest/globals';
import { queryDatabase } from '../support/databases.js';
import { key, service, shareApp } from '../support/folders.js';
import { type Ask, ask, JSON_TYPE } from '../support/http.js';
import { captureOutput } from '../support/main-program.js';
import { sendRaw } from '../support/raw.js';
import { until } from '../support/until.js';

const PREFIX = 'psk_live_'.length;
/** Fewest characters in a row that count as a part of a key. */
const PART = 5;

const output = captureOutput();
shareApp(
  { env: { LOG_LEVEL: 'trace', CORS_ORIGINS: '*' } },
  {
    plan: 'business',
    scopes: ['pets:read', 'pets:write', 'categories:write', 'categories:read', 'keys:manage', 'orders:read'],
  },
);

/** Parts of the key's secret that a text has. */
function partsIn(text: string): string[] {
  const secret = key.slice(PREFIX);
  const parts = Array.from({ length: secret.length - PART + 1 }, (_, at) => secret.slice(at, at + PART));
  return parts.filter((part) => text.includes(part));
}

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
      /an unknown field was sent \(known: .*?\); \\"nmae\\" is not a known field \(did you mean name\? .*?\); and more\./,
    );
  });
});

describe('an identifier in a path', () => {
  it('is quoted if it is a number', async () => {
    expect(await wholeText({ path: '/v1/pets/9000' })).toContain('There is no pet with the identifier \\"9000\\".');
    expect(await wholeText({ path: '/v1/categories/-5' })).toContain(
      'There is no category with the identifier \\"-5\\".',
    );
  });

  it.each(['abc', '05', '9223372036854775808', '%22'])('is not quoted if it is not a number: %s', async (id) => {
    expect(await wholeText({ path: `/v1/pets/${id}` })).toContain('There is no pet with that identifier.');
  });
});
