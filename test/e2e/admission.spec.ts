import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Counter, Registry } from '@prometheus-io/client';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { fetchDocument, operationsOf } from '../openapi/document.js';
import { FakeClock, trio } from '../support/app.js';
import { errorOf, expectNoTrio, expectTrio, refusalOf } from '../support/expectations.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { type Ask, ask, JSON_TYPE } from '../support/http.js';
import { sendRaw } from '../support/raw.js';

const PLAIN = 'Bearer realm="petstore"';
const INVALID = 'Bearer realm="petstore", error="invalid_token"';

const clock = new FakeClock();
let expired: string;
let revoked: string;

const unhandled = jest.fn();

shareApp({ clock, env: { ANONYMOUS_PER_MINUTE: '10000' } });
beforeAll(async () => {
  expired = await service.key({ expiresInMs: 1 });
  const keys = service.app.get(KeysService);
  const issued = await keys.createKey({ account: 'revoked', plan: 'free' });
  await keys.revoke(issued.id);
  revoked = issued.key;
  clock.advanceSeconds(1);
  process.on('unhandledRejection', unhandled);
});
afterAll(() => void process.off('unhandledRejection', unhandled));

const CREDENTIALS: [string, () => string | string[] | undefined, string, string][] = [
  ['no key', () => undefined, 'missing_api_key', PLAIN],
  ['a made-up key in lower-case bearer', () => 'bearer nonsense', 'invalid_api_key', INVALID],
  ['a key nobody was given', () => `Bearer ${generateApiKey('live')}`, 'invalid_api_key', INVALID],
  ['an expired key', () => `Bearer ${expired}`, 'api_key_expired', INVALID],
  ['a revoked key', () => `Bearer ${revoked}`, 'api_key_revoked', INVALID],
  ['two keys in one header', () => `Bearer ${key}, Bearer ${key}`, 'invalid_api_key', INVALID],
  ['two Authorization headers', () => [`Bearer ${key}`, `Bearer ${key}`], 'invalid_api_key', INVALID],
];

const REQUESTS: [string, Ask][] = [
  ['nothing else wrong', { path: '/v1/pets' }],
  ['malformed JSON', { method: 'POST', path: '/v1/pets', headers: JSON_TYPE, body: '{"name":' }],
  ['a body of 1 MB', { method: 'POST', path: '/v1/pets', headers: JSON_TYPE, body: ' '.repeat(1_048_576) }],
  ['another media type', { method: 'POST', path: '/v1/pets', headers: { 'Content-Type': 'text/plain' }, body: 'x' }],
  ['an unknown path', { path: '/v1/nothing' }],
  ['a trailing slash', { path: '/v1/pets/' }],
  ['the prefix alone', { path: '/v1' }],
  ['another method', { method: 'DELETE', path: '/v1/pets' }],
  ['OPTIONS', { method: 'OPTIONS', path: '/v1/pets' }],
  ['bad percent-encoding', { path: '/v1/pets/%zz' }],
  ['an unknown query parameter', { path: '/v1/pets?nope=1' }],
  ['a bad parameter', { path: '/v1/pets?limit=0' }],
  ['a bad identifier', { path: '/v1/pets/abc' }],
  ['a segment of 10,000 characters', { path: `/v1/pets/${'x'.repeat(10_000)}` }],
];

/** Without a query, with a query, and refused for what the query found. */
const OF_EACH_KIND = CREDENTIALS.filter(([name]) =>
  ['no key', 'a key nobody was given', 'a revoked key'].includes(name),
);

describe.each(REQUESTS)('a request with %s', (name, request) => {
  it.each(name === 'nothing else wrong' ? CREDENTIALS : OF_EACH_KIND)(
    'returns 401 with %s',
    async (_, authorization, code, challenge) => {
      const value = authorization();
      const headers = { ...request.headers, ...(value === undefined ? {} : { Authorization: value }) };
      const response = await ask(service.port, { ...request, headers });
      expect(response.headers.get('www-authenticate')).toBe(challenge);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expectTrio(response);
      expect(await errorOf(response)).toMatchObject({ status: 401, code });
    },
  );
});

describe('admission', () => {
  it.each(['/%76%31/pets', '/%761/pets', '/v%31/pets', '/v1/%70ets'])('applies the same rules to %s', async (path) => {
    expect(await errorOf(await ask(service.port, { path }))).toMatchObject({ status: 401, code: 'missing_api_key' });
    const response = await ask(service.port, { path, key });
    expect(response.status).toBe(200);
    expectTrio(response);
  });

  it.each(['//v1/pets', '/./v1/pets', '/V1/pets', '/v1;x/pets', '/x/../v1/pets', '/%2Fv1/pets', '/v1%23/pets'])(
    'treats %s as a path outside the API, with or without a key',
    async (path) => {
      for (const caller of [undefined, key]) {
        const response = await ask(service.port, { path, key: caller });
        expectNoTrio(response);
        expect(await errorOf(response)).toMatchObject({ status: 404, code: 'route_not_found' });
      }
    },
  );

  it.each(['/v1%2Fpets', '/v1%3F/pets'])('treats %s as an unknown path of the API, which needs a key', async (path) => {
    const [without, withKey] = [await ask(service.port, { path }), await ask(service.port, { path, key })];
    expect(await errorOf(without)).toMatchObject({ status: 401, code: 'missing_api_key' });
    expect(await errorOf(withKey)).toMatchObject({ status: 404, code: 'route_not_found' });
    expectTrio(without);
    expectTrio(withKey);
  });

  it('reports an expired or revoked key to its holder only', async () => {
    for (const right of [expired, revoked]) {
      const wrong = `${right.slice(0, 12)}${right[12] === 'A' ? 'B' : 'A'}${right.slice(13)}`;
      expect(await refusalOf(ask(service.port, { path: '/v1/pets', key: wrong }))).toBe('401 invalid_api_key');
    }
  });
});

describe('a key with few scopes', () => {
  const WRITE: [string, Ask][] = [
    ['a proper body', { path: '/v1/pets', headers: JSON_TYPE, body: '{"name":"x","categoryId":1}' }],
    ['malformed JSON', { path: '/v1/pets', headers: JSON_TYPE, body: '{"name":' }],
    ['too large a body', { path: '/v1/pets', headers: JSON_TYPE, body: ' '.repeat(1_048_576) }],
    ['another media type', { path: '/v1/pets', headers: { 'Content-Type': 'text/plain' }, body: 'x' }],
    ['an unknown query parameter', { path: '/v1/pets?nope=1', headers: JSON_TYPE, body: '{}' }],
  ];

  it.each(WRITE)('gets 403 with the missing scope, whatever else is wrong: %s', async (_, request) => {
    const reader = await service.key({ scopes: ['pets:read'] });
    const response = await ask(service.port, { ...request, method: 'POST', key: reader });
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="petstore", error="insufficient_scope", scope="pets:write"',
    );
    expectTrio(response);
    const message = expect.stringContaining('pets:write');
    expect(await errorOf(response)).toEqual({ status: 403, code: 'insufficient_scope', message });
  });

  it('gets 403 before its body has arrived', async () => {
    const reader = await service.key({ scopes: ['pets:read'] });
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${reader}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n`;
    expect(await sendRaw(service.port, head)).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('can use its scopes, and uses quota for refused requests', async () => {
    const writer = await service.key({ scopes: ['pets:write'] });
    const refused = await ask(service.port, { path: '/v1/pets', key: writer });
    expect(await errorOf(refused)).toMatchObject({ status: 403, message: expect.stringContaining('pets:read') });
    const added = await service.post('/v1/pets', writer, '{"name":"x","categoryId":1}');
    expect(added.status).toBe(201);
    expect(trio(added).remaining).toBe(Number(trio(refused).remaining) - 1);
  });
});

// manual.spec.ts compares the scopes of the document with those of the README.
it('each operation but getUsage needs the scope of the document, and no other', async () => {
  const operations = operationsOf(await fetchDocument(service)).map(({ operation, method, path }) => ({
    id: operation.operationId,
    scopes: (operation.security ?? []).flatMap((requirement) => Object.values(requirement).flat()),
    call: async (scopes: readonly string[]) => {
      const caller = await service.key({ ...AMPLE, scopes });
      return service.request(`/v1${path.replace(/\{\w+\}/, '404')}`, { key: caller, method: method.toUpperCase() });
    },
  }));
  const withScope = operations.filter(({ scopes }) => scopes.length === 1);
  expect(operations.filter((one) => !withScope.includes(one))).toMatchObject([{ id: 'getUsage', scopes: [] }]);
  for (const { id, scopes, call } of withScope) {
    const refused = await call(SCOPES.filter((one) => !scopes.includes(one)));
    const message = expect.stringMatching(new RegExp(`; this operation needs ${scopes[0]}\\.$`));
    expect(await errorOf(refused)).toEqual({ status: 403, code: 'insufficient_scope', message });
    expect([id, (await call(scopes)).status]).not.toEqual([id, 403]);
  }
});

it.each([
  ['whose key is looked up', async () => service.key()],
  ['whose key is known', async () => service.request('/v1/pets', { key }).then(() => key)],
  ['whose key does not exist', async () => generateApiKey('live')],
  ['without a key', async () => undefined],
])('an error during admission returns 500 to the request %s, without an unhandled rejection', async (_, prepare) => {
  const caller = await prepare();
  // The step after the decision fails.
  const decisions = service.app.get(Registry).getSingleMetric('petstore_admissions_total') as Counter;
  jest.spyOn(decisions, 'inc').mockImplementationOnce(() => {
    throw new Error('out of order');
  });
  expect(await refusalOf(ask(service.port, { path: '/v1/pets', key: caller }))).toBe('500 internal_error');
  await nextTurn();
  expect(unhandled).not.toHaveBeenCalled();
});
