import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES, type ErrorCode } from '../../src/platform/errors/error-codes.js';
import { errorOf } from '../support/expectations.js';
import { FaultsModule } from '../support/faults.module.js';
import { key, service, shareApp } from '../support/folders.js';
import { type Ask, ask, JSON_TYPE } from '../support/http.js';
import { sendRaw } from '../support/raw.js';

shareApp({ extensions: [{ module: FaultsModule }] });

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
    ['/v1/pets/1', ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH'], 'application/json, application/merge-patch+json'],
  ])('OPTIONS %s returns 204 with Allow, and Accept-Patch if it has a PATCH', async (path, methods, types) => {
    const response = await ask(service.port, { method: 'OPTIONS', path, key });
    expect(response.headers.get('accept-patch')).toBe(types);
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(response.headers.get('allow')?.split(', ').toSorted()).toEqual(methods);
  });

  it.each(['DELETE', 'PUT', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH', 'LINK'])(
    '%s returns 405 with Allow',
    async (method) => {
      const response = await ask(service.port, { method, path: '/v1/pets', key });
      expect(response.headers.get('allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST']);
      expect(await errorOf(response)).toMatchObject({
        status: 405,
        code: 'method_not_allowed',
        message: expect.stringContaining(method),
      });
    },
  );

  it.each(['/v1/pets/', '/v1/pets/1/', '/v1//pets', '/v1/Pets', '/v1/pets/1/2', '/v1/pet', '/v1/'])(
    '%s returns 404 route_not_found',
    async (path) => {
      const missing = { status: 404, code: 'route_not_found' };
      expect(await errorOf(await ask(service.port, { path, key }))).toMatchObject(missing);
      expect(await errorOf(await ask(service.port, { method: 'PUT', path, key }))).toMatchObject(missing);
    },
  );
});

describe('a 415', () => {
  it.each([
    ['POST', '/v1/pets', { 'Content-Type': 'text/plain' }],
    ['POST', '/v1/pets', { 'Content-Type': 'application/merge-patch+json' }],
    ['POST', '/v1/pets', { ...JSON_TYPE, 'Content-Encoding': 'gzip' }],
    ['POST', '/v1/pets', { 'Content-Type': 'application/json; charset=latin1' }],
    ['PATCH', '/v1/pets/1', { 'Content-Type': 'text/plain' }],
    ['PATCH', '/v1/pets/1', { ...JSON_TYPE, 'Content-Encoding': 'gzip' }],
  ])('names the media types that %s %s accepts: %j', async (method, path, headers) => {
    const response = await ask(service.port, { method, path, key, headers, body: '{}' });
    const types = [response.headers.get('accept'), response.headers.get('accept-patch')];
    const isPatch = method === 'PATCH';
    expect(types).toEqual([
      isPatch ? null : 'application/json',
      isPatch ? 'application/json, application/merge-patch+json' : null,
    ]);
    expect(response.status).toBe(415);
  });

  it('names them also for a body that is missing', async () => {
    const response = await ask(service.port, { method: 'POST', path: '/v1/pets', key });
    expect([response.status, response.headers.get('accept')]).toEqual([415, 'application/json']);
  });
});

describe('the registry of codes', () => {
  it.each<[string, Ask]>([
    ['QUERY without a media type', { method: 'QUERY', path: '/v1/pets' }],
    ['QUERY with one', { method: 'QUERY', path: '/v1/pets', headers: JSON_TYPE, body: '{}' }],
    ['QUERY of nothing', { method: 'QUERY', path: '/v1/nothing' }],
    ['a media type that is none', { method: 'POST', path: '/v1/pets', headers: { 'Content-Type': ';;;' }, body: '{}' }],
    ['an empty media type', { method: 'POST', path: '/v1/pets', headers: { 'Content-Type': '' }, body: '{}' }],
    [
      'a media type where nothing is',
      { method: 'POST', path: '/v1/nothing', headers: { 'Content-Type': ';;;' }, body: '{}' },
    ],
    [
      'a media type that a method can not have',
      { method: 'PUT', path: '/v1/pets', headers: { 'Content-Type': ';;;' }, body: '{}' },
    ],
    ['DELETE with a body', { method: 'DELETE', path: '/v1/pets', headers: JSON_TYPE, body: '{' }],
    ['an unknown path with a body', { method: 'POST', path: '/v1/nothing', headers: JSON_TYPE, body: '{' }],
    [
      'a body of 1 MB where nothing is',
      { method: 'POST', path: '/v1/nothing', headers: JSON_TYPE, body: ' '.repeat(1_048_576) },
    ],
  ])('has the code and status of every error: %s', async (_, request) => {
    const { code, status } = await errorOf(await ask(service.port, { ...request, key }));
    expect([code, status]).toEqual([code, ERROR_CODES[code as ErrorCode]?.status]);
  });
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
