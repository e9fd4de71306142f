import { describe, expect, it, jest } from '@jest/globals';
import { ApiExceptionFilter } from '../../src/http/errors/api-exception.filter.js';
import { ERROR_CODES, type ErrorCode } from '../../src/platform/errors/error-codes.js';
import { FakeClock, startApp, trio } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { key, service, shareApp } from '../support/folders.js';

const clock = new FakeClock(Date.parse('2026-11-21T12:00:00Z'));
shareApp({ clock, env: { ENVIRONMENT: 'staging' } });

const call = (prefer: string, path = '/v1/pets') => service.request(path, { key, headers: { Prefer: prefer } });
const post = (prefer: string) =>
  service.request('/v1/pets', {
    method: 'POST',
    key,
    headers: { 'Content-Type': 'application/json', Prefer: prefer },
    body: '{"name":"Rehearsed","categoryId":1}',
  });
const names = async () =>
  ((await (await service.request('/v1/pets', { key })).json()) as { name: string }[]).map(({ name }) => name);

describe('a rehearsed error', () => {
  it.each<[string, ErrorCode, Record<string, string | null>]>([
    ['401', 'missing_api_key', { 'www-authenticate': 'Bearer realm="petstore"', 'cache-control': 'no-store' }],
    ['api_key_revoked', 'api_key_revoked', { 'www-authenticate': 'Bearer realm="petstore", error="invalid_token"' }],
    ['403', 'insufficient_scope', { 'www-authenticate': expect.stringContaining('scope="pets:write"') }],
    ['400', 'validation_failed', {}],
    ['malformed_json', 'malformed_json', {}],
    ['415', 'unsupported_media_type', {}],
    ['429', 'rate_limit_exceeded', { 'retry-after': '1', 'cache-control': 'no-store', 'x-ratelimit-remaining': '0' }],
    ['api_key_banned', 'api_key_banned', { 'retry-after': '1', 'x-ratelimit-remaining': '0' }],
    ['idempotency_key_in_use', 'idempotency_key_in_use', { 'retry-after': '1' }],
    ['idempotency_key_reused', 'idempotency_key_reused', {}],
    ['500', 'internal_error', {}],
    ['503', 'service_unavailable', { 'retry-after': '1' }],
  ] as [string, ErrorCode, Record<string, string>][])(
    'is the one in Prefer: code=%s',
    async (code, expected, headers) => {
      const response = await post(`code=${code}`);
      expect(response.status).toBe(ERROR_CODES[expected].status);
      expect(response.headers.get('preference-applied')).toBe(`code=${code}`);
      const sent = Object.keys(headers).map((name) => [name, response.headers.get(name)]);
      expect(Object.fromEntries(sent)).toEqual(headers);
      expect(await errorOf(response)).toMatchObject({ code: expected, status: ERROR_CODES[expected].status });
    },
  );

  it('names a scope that the key would lack', async () => {
    const { message } = await errorOf(await post('code=403'));
    expect(message).toMatch(/^This key has the scopes (?!.*pets:write.*;).+; this operation needs pets:write\.$/);
    const reader = await service.key({ scopes: ['pets:read'] });
    const response = await service.request('/v1/pets', { key: reader, headers: { Prefer: 'code=403' } });
    expect((await errorOf(response)).message).toBe('This key has no scopes; this operation needs pets:read.');
  });

  it('has no other effect, and is not logged as a failure', async () => {
    const report = jest.spyOn(service.app.get(ApiExceptionFilter), 'report');
    for (const code of ['400', '429', '500', '503']) expect((await post(`code=${code}`)).ok).toBe(false);
    expect(report).not.toHaveBeenCalled();
    expect(await names()).not.toContain('Rehearsed');
  });

  it('ends its wait at the reset in its headers, and uses quota like any request', async () => {
    const fresh = await service.key();
    const rehearsed = await service.request('/v1/pets', { key: fresh, headers: { Prefer: 'code=429' } });
    expect(trio(rehearsed)).toMatchObject({ limit: 1_000, reset: clock.nowMs() / 1000 + 1 });
    expect((await errorOf(rehearsed)).message).toBe(
      'The limit of 1000 requests per minute is exhausted. Retry after 1 second.',
    );
    const next = await service.request('/v1/pets', { key: fresh });
    expect([next.status, trio(next).remaining]).toEqual([200, Number(trio(next).limit) - 2]);
  });

  it('of a deprecated operation has deprecation headers like the real error, and can be its removal', async () => {
    const gone = await call('code=410', '/v1/pets/1');
    const message = expect.stringContaining('2030-12-05');
    expect(await errorOf(gone)).toEqual({ status: 410, code: 'operation_removed', message });
    const others = [404, 503, 401, 403, 429];
    const responses = [gone, ...(await Promise.all(others.map((code) => call(`code=${code}`, '/v1/pets/1'))))];
    expect(responses.map(({ status, headers }) => [status, headers.get('sunset') !== null])).toEqual([
      [410, true],
      [404, true],
      [503, true],
      [401, false],
      [403, false],
      [429, false],
    ]);
  });

  it.each(['code="429"', 'respond-async, code=429', 'Code = 429; because=of', 'wait=1,code=429,code=503'])(
    'accepts the syntax of RFC 7240: %s',
    async (prefer) => {
      expect((await call(prefer)).headers.get('preference-applied')).toBe('code=429');
    },
  );

  it.each(['code=404', 'code=418', 'code=pet_not_found', 'code=', 'decode=429', 'code=429x', 'respond-async'])(
    'is not returned if the operation does not document it: %s',
    async (prefer) => {
      const response = await call(prefer);
      expect([response.status, response.headers.get('preference-applied')]).toEqual([200, null]);
    },
  );

  it('can be that of a body, although the operation takes none', async () => {
    const manager = await service.key({ scopes: ['webhooks:manage'] });
    const headers = { Prefer: 'code=415' };
    const response = await service.request('/v1/webhooks/1/test', { method: 'POST', key: manager, headers });
    expect((await errorOf(response)).code).toBe('unsupported_media_type');
  });

  it('needs an admitted request', async () => {
    const response = await service.request('/v1/pets', { headers: { Prefer: 'code=503' } });
    expect([response.status, response.headers.get('preference-applied')]).toEqual([401, null]);
  });
});

describe('the document of a staging service', () => {
  it('has Prefer as a parameter of each operation', async () => {
    const document = (await (await service.request('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { operationId: string; parameters?: { $ref?: string }[] }>>;
    };
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    expect(operations.length).toBeGreaterThan(10);
    const others = operations.filter(
      ({ parameters = [] }) => !parameters.some(({ $ref }) => $ref === '#/components/parameters/Prefer'),
    );
    // It has a preference of its own.
    expect(others.map(({ operationId }) => operationId)).toEqual(['listEvents']);
    expect(JSON.stringify(others)).toMatch(/`wait=20`.*`code=`/);
  });

  it('names the staging environment once', async () => {
    const address = 'https://staging.petstore.test/v1';
    const env = { ENVIRONMENT: 'staging', BASE_URL: address, STAGING_BASE_URL: address };
    const staging = await startApp({ clock, env });
    const { servers } = (await (await staging.request('/openapi.json')).json()) as { servers: unknown };
    await staging.stop();
    expect(servers).toEqual([{ url: address, description: 'Staging', 'x-internal': false }]);
  });
});

it('in production Prefer is ignored and not documented', async () => {
  const production = await startApp({ clock });
  const own = await production.key();
  const response = await production.request('/v1/pets', { key: own, headers: { Prefer: 'code=429' } });
  expect([response.status, response.headers.get('preference-applied')]).toEqual([200, null]);
  expect(await (await production.request('/openapi.json')).text()).not.toContain('code=');
  await production.stop();
});
