import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCOPES } from '../../src/accounts/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { errorOf } from '../support/expectations.js';

let service: TestApp;
let key: string;

beforeAll(async () => {
  service = await startApp();
  key = await service.key({ scopes: SCOPES });
  await service.post('/v1/pets', key, '{"name":"Bella","categoryId":1,"status":"available"}');
  await service.post('/v1/store/orders', key, '{"petId":1}');
});
afterAll(() => service.stop());

const send = (method: string, path: string, headers: Record<string, string> = {}) =>
  service.request(path, { key, method, headers });

describe('a request without a body', () => {
  it('is accepted by a POST whose fields are all optional, like an empty object', async () => {
    const created = await send('POST', '/v1/keys');
    expect(created.status).toBe(201);
    const { id, scopes } = (await created.json()) as { id: string; scopes: string[] };
    expect(scopes).toEqual(SCOPES.filter((scope) => scope !== 'keys:manage'));
    expect((await send('POST', `/v1/keys/${id}/rotate`)).status).toBe(201);
  });

  it.each([
    ['POST', '/v1/pets'],
    ['POST', '/v1/store/orders'],
    ['PATCH', '/v1/pets/1'],
    ['PATCH', '/v1/categories/1'],
  ])('is refused by %s %s, which needs one', async (method, path) => {
    expect(await errorOf(await send(method, path))).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  });

  it('is malformed if it has the media type of JSON', async () => {
    const empty = { 'Content-Type': 'application/json' };
    expect(await errorOf(await send('POST', '/v1/keys', empty))).toMatchObject({ code: 'malformed_json' });
  });
});

describe('a merge patch', () => {
  it.each([
    ['/v1/pets/1', { name: 'Bello' }],
    ['/v1/store/orders/1', { status: 'approved' }],
  ])('is accepted by %s', async (path, body) => {
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const response = await service.request(path, { key, method: 'PATCH', body: JSON.stringify(body), headers });
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining(body)]);
  });
});
