import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES, type ErrorCode } from '../../src/platform/errors/error-codes.js';
import { FakeClock, trio } from '../support/app.js';
import { errorOf, expectNoTrio, expectTrio } from '../support/expectations.js';
import { FaultsModule } from '../support/faults.module.js';
import { key, service, shareApp } from '../support/folders.js';
import { type Ask, ask, JSON_TYPE } from '../support/http.js';
import { sendRaw } from '../support/raw.js';
import { UNWRITABLE, UNWRITABLE_PATHS, UnwritableModule } from '../support/unwritable.module.js';

const PET = '{"name":"x","categoryId":1}';
const PATCHES = 'application/json, application/merge-patch+json';

const clock = new FakeClock();
/** Requests that a hook of an extension has seen after admission. */
let admitted = 0;
shareApp({
  clock,
  extensions: [{ module: FaultsModule }, { module: UnwritableModule }],
  env: { CORS_ORIGINS: 'https://app.example.com' },
  configure: (app) => {
    const server = app.getHttpAdapter().getInstance();
    server.addHook('onSend', ({ url }, reply, payload, done) => {
      if (url.endsWith('/by-hook')) reply.header('x', UNWRITABLE);
      done(null, payload);
    });
    server.addHook('onSend', async ({ headers }, _reply, payload) => {
      if (headers['x-slow'] !== undefined) await delay(20);
      return payload;
    });
    server.addHook('onRequest', async ({ headers }) => {
      if (headers['x-slow'] !== undefined) admitted += 1;
    });
  },
});

const post = (body: string, type = 'application/json'): Ask => ({
  method: 'POST',
  path: '/v1/pets',
  headers: { 'Content-Type': type },
  body,
});

const ANSWERS: [number, Ask][] = [
  [200, { path: '/v1/pets' }],
  [200, { method: 'HEAD', path: '/v1/pets' }],
  [201, post(PET)],
  [204, { method: 'OPTIONS', path: '/v1/pets' }],
  [400, { path: '/v1/pets?limit=0' }],
  [400, { path: '/v1/pets/1?nope=1' }],
  [400, post('{"name":')],
  [400, post('{}')],
  [404, { path: '/v1/pets/9000' }],
  [404, { path: '/v1/pets/%zz' }],
  [404, { path: '/v1/nothing' }],
  [404, { path: '/v1' }],
  [404, { path: '/v1/' }],
  [404, { path: '/v1?x=1' }],
  [405, { method: 'DELETE', path: '/v1/pets' }],
  [405, { method: 'PROPFIND', path: '/v1/pets/1' }],
  [413, post(' '.repeat(16_385))],
  [415, post(PET, 'text/plain')],
  [500, { path: '/v1/faults/error' }],
];

describe('every response of the versioned API', () => {
  it.each(ANSWERS)('has the rate-limit headers, and those of all responses: %i for %j', async (status, request) => {
    const before = trio(await ask(service.port, { path: '/v1/pets', key }));
    const headers = { ...request.headers, 'X-Request-Id': 'abc-1' };
    const response = await ask(service.port, { ...request, key, headers });
    expect(response.status).toBe(status);
    expect(response.headers.get('x-request-id')).toBe('abc-1');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expectTrio(response);
    expect(trio(response)).toEqual({ ...before, remaining: Number(before.remaining) - 1 });
  });

  it('ends a refused request, however long a hook of its response takes', async () => {
    const slow = { ...post('{"name":'), headers: { ...JSON_TYPE, 'x-slow': 'yes' } };
    expect(await errorOf(await ask(service.port, slow))).toMatchObject({ code: 'missing_api_key' });
    expect(admitted).toBe(0);
    expect(await errorOf(await ask(service.port, { ...slow, key }))).toMatchObject({ code: 'malformed_json' });
    expect(admitted).toBe(1);
  });
});

describe('a path outside the versioned API', () => {
  it.each(['/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json', '/openapi.yaml'])(
    'needs no key and has no rate-limit headers: %s',
    async (path) => {
      const response = await ask(service.port, { path });
      expect(response.status).toBe(200);
      expectNoTrio(response);
    },
  );

  it.each(['/health/live', '/health/ready', '/metrics'])('has no-store because it changes: %s', async (path) => {
    expect((await ask(service.port, { path })).headers.get('cache-control')).toBe('no-store');
  });

  it.each(['/nothing', '/pets', '/v10/pets', '/v1x', '/v2/pets', '/health', '/%zz'])(
    'returns 404 without rate-limit headers if it is unknown: %s',
    async (path) => {
      const response = await ask(service.port, { path });
      expectNoTrio(response);
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(await errorOf(response)).toMatchObject({ status: 404, code: 'route_not_found' });
    },
  );

  it('returns 405 with Allow for another method', async () => {
    const response = await ask(service.port, { method: 'POST', path: '/health/live', headers: JSON_TYPE, body: '{}' });
    expectNoTrio(response);
    expect(response.headers.get('allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'OPTIONS']);
    expect(await errorOf(response)).toMatchObject({ status: 405, code: 'method_not_allowed' });
  });
});

describe('methods and paths', () => {
  it.each(['/v1/pets/1', '/v1/categories/1', '/v1/usage'])(
    'HEAD refuses a query parameter that GET does not accept: %s',
    async (path) => {
      const unknown = (method: string) => service.request(`${path}?x=1`, { key, method });
      expect([(await unknown('GET')).status, (await unknown('HEAD')).status]).toEqual([400, 400]);
    },
  );

  it('HEAD returns the headers of GET without the body', async () => {
    const bytes = await sendRaw(
      service.port,
      `HEAD /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
    );
    const response = await ask(service.port, { path: '/v1/pets', key });
    expect(bytes).toMatch(/^HTTP\/1\.1 200 /);
    expect(bytes.split('\r\n\r\n')[1]).toBe('');
    expect(bytes.toLowerCase()).toContain(`content-length: ${response.headers.get('content-length')}\r\n`);
  });

  it.each([
    ['/v1/pets', ['GET', 'HEAD', 'OPTIONS', 'POST'], null],
    ['/v1/pets/1', ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH'], PATCHES],
  ])('OPTIONS %s returns 204 with Allow, and Accept-Patch if it has a PATCH', async (path, methods, types) => {
    const response = await ask(service.port, { method: 'OPTIONS', path, key });
    expect(response.headers.get('accept-patch')).toBe(types);
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(response.headers.get('allow')?.split(', ').toSorted()).toEqual(methods);
  });

  it.each(['DELETE', 'PATCH', 'TRACE', 'QUERY', 'M-SEARCH'])('%s returns 405 with Allow', async (method) => {
    const response = await ask(service.port, { method, path: '/v1/pets', key });
    expect(response.headers.get('allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST']);
    const message = expect.stringContaining(method);
    expect(await errorOf(response)).toEqual({ status: 405, code: 'method_not_allowed', message });
  });
});

const COMPRESSED = { ...JSON_TYPE, 'Content-Encoding': 'gzip' };

it.each<[string, string, Ask['headers'], (string | null)[]]>([
  ['POST', '/v1/pets', { 'Content-Type': 'text/plain' }, ['application/json', null, null]],
  ['POST', '/v1/pets', { 'Content-Type': 'application/json; charset=latin1' }, ['application/json', null, null]],
  ['PATCH', '/v1/pets/1', { 'Content-Type': 'application/json-patch+json' }, [PATCHES, PATCHES, null]],
  ['POST', '/v1/pets', COMPRESSED, [null, null, 'identity']],
  ['PATCH', '/v1/pets/1', COMPRESSED, [null, null, 'identity']],
  ['POST', '/v1/pets', undefined, ['application/json', null, null]],
])('a 415 names what %s %s accepts, be it media types or a coding: %j', async (method, path, headers, expected) => {
  const body = headers && '{}';
  const response = await ask(service.port, { method, path, key, ...(headers && { headers }), body });
  const accepted = ['accept', 'accept-patch', 'accept-encoding'].map((name) => response.headers.get(name));
  expect(accepted).toEqual(expected);
  expect(await errorOf(response)).toMatchObject({ status: 415, code: 'unsupported_media_type' });
});

const NO_TYPE = { 'Content-Type': ';;;' };

it.each<[string, Ask]>([
  ['QUERY without a media type', { method: 'QUERY', path: '/v1/pets' }],
  ['QUERY with one', { method: 'QUERY', path: '/v1/pets', headers: JSON_TYPE, body: '{}' }],
  ['QUERY of nothing', { method: 'QUERY', path: '/v1/nothing' }],
  ['a media type that is none', { method: 'POST', path: '/v1/pets', headers: NO_TYPE, body: '{}' }],
  ['a media type where nothing is', { method: 'POST', path: '/v1/nothing', headers: NO_TYPE, body: '{}' }],
  ['a media type that a method can not have', { method: 'PUT', path: '/v1/pets', headers: NO_TYPE, body: '{}' }],
  ['DELETE with a body', { method: 'DELETE', path: '/v1/pets', headers: JSON_TYPE, body: '{' }],
  [
    'a body of 1 MB where nothing is',
    { method: 'POST', path: '/v1/nothing', headers: JSON_TYPE, body: ' '.repeat(1_048_576) },
  ],
])('the registry of codes has the code and status of every error: %s', async (_, request) => {
  const { code, status } = await errorOf(await ask(service.port, { ...request, key }));
  expect([code, status]).toEqual([code, ERROR_CODES[code as ErrorCode]?.status]);
});

describe('a handler that fails', () => {
  it.each(['error', 'text', 'query', 'status', 'circular'])('reveals nothing about the cause: %s', async (fault) => {
    const response = await service.request(`/v1/faults/${fault}`, { key });
    const headers = [...response.headers];
    const body = await errorOf(response);
    expect(body).toMatchObject({ status: 500, code: 'internal_error' });
    expect(JSON.stringify([body, headers])).not.toMatch(/hunter|postgres|SELECT|circular/i);
  });

  it('keeps the status of a Nest exception, in the format of an Error', async () => {
    const body = await errorOf(await service.request('/v1/faults/teapot', { key }));
    expect(body.status).toBe(418);
    expect(JSON.stringify(body)).not.toContain('hunter');
  });
});

const send = async (path: string, more: Partial<Ask> = {}) => {
  const headers = { Origin: 'https://app.example.com', 'X-Request-Id': 'abc-1', ...more.headers };
  return ask(service.port, { ...more, path: `/v1/${path}`, key, headers });
};
const namesOf = ({ headers }: Response) => [...headers.keys()].toSorted();
const reasonOf = ({ statusText }: Response) => statusText;

describe('a response whose head or body cannot be written', () => {
  it.each(UNWRITABLE_PATHS)('is an Error like any other, with nothing of the response: %s', async (name) => {
    const usual = await send('faults/error');
    const response = await send(`unwritable/${name}`);
    expectTrio(response);
    expect([reasonOf(response), namesOf(response)]).toEqual(['Internal Server Error', namesOf(usual)]);
    for (const header of ['x-request-id', 'vary', 'cache-control', 'access-control-allow-origin', 'content-type'])
      expect(response.headers.get(header)).toBe(usual.headers.get(header));
    expect(await response.text()).toBe(await usual.text());
  });

  it('is sent as it is if it can be written, with a reason phrase of its own', async () => {
    expect(reasonOf(await send('unwritable/own-reason'))).toBe('Fine');
  });

  it('is none for HEAD and for a condition that holds', async () => {
    const head = await send('unwritable/value', { method: 'HEAD' });
    const revalidated = await send('unwritable/value', { headers: { 'If-None-Match': '"a"' } });
    expect([head.status, head.headers.get('location')]).toEqual([500, null]);
    expect(await errorOf(revalidated)).toMatchObject({ status: 500, code: 'internal_error' });
  });

  it('is not stored for an Idempotency-Key', async () => {
    const again = { method: 'POST', headers: { 'Idempotency-Key': 'a' } };
    for (const _ of [1, 2]) {
      const response = await send('unwritable/idempotent', again);
      expect(response.headers.has('idempotent-replayed')).toBe(false);
      expect(await errorOf(response)).toMatchObject({ status: 500, code: 'internal_error' });
    }
  });
});
