import { describe, expect, it } from '@jest/globals';
import { trio } from '../support/app.js';
import { errorOf, expectTrio } from '../support/expectations.js';
import { key, service, shareApp } from '../support/folders.js';
import { fetchDocument, operationsOf } from '../openapi/document.js';
import { ask } from '../support/http.js';

const APP = 'https://app.example.com';
const OTHER_APP = 'http://localhost:8080';
/** Headers that guides describe, beside those of the document. */
const OF_GUIDES = ['Allow', 'Date', 'RateLimit', 'RateLimit-Policy', 'Vary', 'X-Content-Type-Options'];

/** Every documented header. */
async function described(): Promise<string[]> {
  const document = await fetchDocument(service);
  const responses = operationsOf(document).flatMap((operation) => Object.values(operation.responses));
  return [...new Set([...responses.flatMap(({ headers = {} }) => Object.keys(headers)), ...OF_GUIDES])].toSorted();
}

const words = (list: string | null) =>
  (list ?? '')
    .split(',')
    .map((word) => word.trim())
    .toSorted();

/** The CORS headers of an answer. */
const cors = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

const preflight = (origin: string, path = '/v1/pets') =>
  ask(service.port, {
    method: 'OPTIONS',
    path,
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type',
    },
  });

describe('with CORS_ORIGINS', () => {
  shareApp({ env: { CORS_ORIGINS: `${APP}, ${OTHER_APP}`, ANONYMOUS_PER_MINUTE: '50' } }, { plan: 'free' });

  it.each([APP, OTHER_APP])(
    'a preflight from %s needs no key, and gets the allowed methods and headers',
    async (origin) => {
      const response = await preflight(origin);
      expect([response.status, await response.text()]).toEqual([204, '']);
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      expect(words(response.headers.get('vary'))).toContain('Origin');
      expect(words(response.headers.get('access-control-allow-methods'))).toContain('POST');
      expect(words(response.headers.get('access-control-allow-headers'))).toEqual(['authorization', 'content-type']);
      expect(response.headers.get('access-control-max-age')).toBe('600');
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
      expectTrio(response);
    },
  );

  it('a preflight uses no quota of a key or an address', async () => {
    const before = trio(await service.request('/v1/pets', { key }));
    const anonymous = trio(await service.request('/v1/pets'));
    for (let n = 0; n < 5; n += 1) await preflight(APP);
    expect(trio(await service.request('/v1/pets', { key })).remaining).toBe(Number(before.remaining) - 1);
    expect(trio(await service.request('/v1/pets')).remaining).toBe(Number(anonymous.remaining) - 1);
  });

  it.each<[string, number, () => Promise<Response>]>([
    ['success', 200, () => service.request('/v1/pets', { key, headers: { Origin: APP } })],
    ['bad key', 401, () => service.request('/v1/pets', { key: 'nonsense', headers: { Origin: APP } })],
    ['bad parameter', 400, () => service.request('/v1/pets?limit=0', { key, headers: { Origin: APP } })],
    ['unknown path', 404, () => service.request('/v1/nothing', { key, headers: { Origin: APP } })],
  ])('a response to an allowed origin exposes every documented header: %s', async (_, status, call) => {
    const response = await call();
    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBe(APP);
    expect(words(response.headers.get('vary'))).toContain('Origin');
    expect(words(response.headers.get('access-control-expose-headers'))).toEqual(await described());
  });

  it.each([
    'https://evil.example.com',
    'https://app.example.com.evil.com',
    'http://app.example.com',
    'https://app.example.com:8443',
    'null',
    'HTTPS://APP.EXAMPLE.COM.',
  ])('the origin %s gets no CORS headers', async (origin) => {
    expect(cors(await preflight(origin))).toEqual({});
    const response = await service.request('/v1/pets', { key, headers: { Origin: origin } });
    expect(response.status).toBe(200);
    expect(cors(response)).toEqual({});
    expect(words(response.headers.get('vary'))).toContain('Origin');
  });

  it.each(['/v1/pets', '/openapi.json', '/health/live', '/'])(
    'a response without an origin has Vary: Origin: %s',
    async (path) => {
      const response = await service.request(path, { key });
      expect(words(response.headers.get('vary'))).toContain('Origin');
      expect(cors(response)).toEqual({});
    },
  );

  it.each([
    ['no header of a preflight', {}],
    ['an origin only', { Origin: APP }],
    ['a method only', { 'Access-Control-Request-Method': 'POST' }],
  ])('OPTIONS with %s is an ordinary request', async (_, headers) => {
    const fresh = await service.key({ plan: 'free' });
    const anonymous = await errorOf(await ask(service.port, { method: 'OPTIONS', path: '/v1/pets', headers }));
    expect(anonymous).toMatchObject({ status: 401, code: 'missing_api_key' });
    const response = await ask(service.port, { method: 'OPTIONS', path: '/v1/pets', headers, key: fresh });
    expect([response.status, trio(response).remaining]).toEqual([204, 59]);
    expect(words(response.headers.get('allow'))).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST']);
  });

  it('a preflight succeeds for any path, and with an exhausted quota of the address', async () => {
    expect((await preflight(APP, '/v1/pets/1')).status).toBe(204);
    for (let n = 0; n < 60; n += 1) await service.request('/v1/pets');
    expect((await service.request('/v1/pets')).status).toBe(429);
    expect((await preflight(APP)).status).toBe(204);
  });
});

describe('with CORS_ORIGINS=*', () => {
  shareApp({ env: { CORS_ORIGINS: '*' } });

  it('any origin is allowed, without credentials', async () => {
    const response = await service.request('/v1/pets', { key, headers: { Origin: 'https://anywhere.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('without CORS_ORIGINS', () => {
  shareApp();

  it('no response has CORS headers, and a preflight returns 204', async () => {
    expect(cors(await service.request('/v1/pets', { key, headers: { Origin: APP } }))).toEqual({});
    const response = await preflight(APP);
    expect([response.status, cors(response)]).toEqual([204, {}]);
  });
});
