import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { FakeClock, trio } from '../support/app.js';
import { errorOf, expectNoTrio, expectTrio } from '../support/expectations.js';
import { FaultsModule } from '../support/faults.module.js';
import { key, service, shareApp } from '../support/folders.js';
import { type Ask, ask, JSON_TYPE } from '../support/http.js';
import { UNWRITABLE, UnwritableModule } from '../support/unwritable.module.js';

const PET = '{"name":"x","categoryId":1}';

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
  it.each(ANSWERS)('has the rate-limit headers: %i for %j', async (status, request) => {
    const before = trio(await ask(service.port, { path: '/v1/pets', key }));
    const response = await ask(service.port, { ...request, key });
    expect(response.status).toBe(status);
    expectTrio(response);
    expect(trio(response)).toEqual({ ...before, remaining: Number(before.remaining) - 1 });
  });

  it('has those of the address without a key', async () => {
    const response = await ask(service.port, { path: '/v1/pets' });
    expect(response.status).toBe(401);
    expect(trio(response)).toMatchObject({ limit: 300 });
  });

  it('ends a refused request, however long a hook of its response takes', async () => {
    const slow = { ...post('{"name":'), headers: { ...JSON_TYPE, 'x-slow': 'yes' } };
    expect(await errorOf(await ask(service.port, slow))).toMatchObject({ code: 'missing_api_key' });
    expect(admitted).toBe(0);
    expect(await errorOf(await ask(service.port, { ...slow, key }))).toMatchObject({ code: 'malformed_json' });
    expect(admitted).toBe(1);
  });

  it('has them for a key that lacks a scope', async () => {
    const writer = await service.key({ scopes: ['pets:write'], plan: 'free' });
    const response = await ask(service.port, { path: '/v1/pets', key: writer });
    expect([response.status, trio(response).remaining]).toEqual([403, 59]);
  });

  it('has them past the limit', async () => {
    const narrow = await service.key({ plan: 'enterprise', perMinute: 2, perDay: 10 });
    for (let n = 0; n < 2; n += 1) await ask(service.port, { path: '/v1/pets', key: narrow });
    const response = await ask(service.port, { path: '/v1/pets', key: narrow });
    expect(response.status).toBe(429);
    expect(trio(response)).toMatchObject({ limit: 2, remaining: 0 });
  });

  it('has no-store if it is about the caller', async () => {
    expect((await ask(service.port, { path: '/v1/pets' })).headers.get('cache-control')).toBe('no-store');
  });

  it.each(ANSWERS)('has X-Request-Id and X-Content-Type-Options: %i for %j', async (_, request) => {
    const response = await ask(service.port, {
      ...request,
      key,
      headers: { ...request.headers, 'X-Request-Id': 'abc-1' },
    });
    expect(response.headers.get('x-request-id')).toBe('abc-1');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
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

  it.each(['/docs', '/openapi.json', '/openapi.yaml'])('can be cached with revalidation: %s', async (path) => {
    expect((await ask(service.port, { path })).headers.get('cache-control')).toBe('no-cache');
  });

  it.each(['/nothing', '/pets', '/v10/pets', '/v1x', '/v2/pets', '/health', '/%zz'])(
    'returns 404 without rate-limit headers if it is unknown: %s',
    async (path) => {
      const response = await ask(service.port, { path });
      expectNoTrio(response);
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

const send = async (path: string, more: Partial<Ask> = {}) => {
  const headers = { Origin: 'https://app.example.com', 'X-Request-Id': 'abc-1', ...more.headers };
  return ask(service.port, { ...more, path: `/v1/${path}`, key, headers });
};
const namesOf = ({ headers }: Response) => [...headers.keys()].toSorted();
const reasonOf = ({ statusText }: Response) => statusText;

describe('a response whose head or body cannot be written', () => {
  it.each([
    'value',
    'line-break',
    'name',
    'by-hook',
    'transfer-encoding',
    'trailer',
    'common',
    'reason',
    'decorator',
    'interceptor',
    'error',
    'filter',
    'error-status',
    'status',
    'raw-status',
    'informational',
    'no-content',
    'stream',
    'web-stream',
    'events',
    'circular',
    'function',
    'object',
  ])('is an Error like any other, with nothing of the response: %s', async (name) => {
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
    const [head, revalidated] = [
      await send('unwritable/value', { method: 'HEAD' }),
      await send('unwritable/value', { headers: { 'If-None-Match': '"a"' } }),
    ];
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
