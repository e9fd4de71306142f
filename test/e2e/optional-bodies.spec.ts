import { describe, expect, it } from '@jest/globals';
import { Body, Controller, Module, Post, Put } from '@nestjs/common';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { IntegerField, Operation } from '../../src/index.js';
import { errorOf } from '../support/expectations.js';
import { ask } from '../support/http.js';
import { service, sharePreparedApp } from '../support/folders.js';

class Ring {
  @IntegerField({ description: 'How often.', example: 2, minimum: 1, maximum: 5, optional: true })
  times?: number;
}

const Bell = (id: string, status = 201): MethodDecorator =>
  Operation({
    id,
    summary: 'Ring',
    scope: 'pets:read',
    stability: 'experimental',
    success: { status, description: 'Rung.' },
    errors: [],
  });

@Controller('bells')
class BellsController {
  @Post('none')
  @Bell('ring')
  ring(): object {
    return {};
  }

  @Post('optional')
  @Bell('ringOften')
  ringOften(@Body() { times = 1 }: Ring): object {
    return { times };
  }

  @Put('optional')
  @Bell('putRing', 200)
  putRing(@Body() { times = 1 }: Ring): object {
    return { times };
  }

  @Post('any')
  @Bell('ringAny')
  ringAny(@Body() body: object): object {
    return body;
  }
}

@Module({ controllers: [BellsController] })
class BellsModule {}

let key: string;
sharePreparedApp({ extensions: [{ module: BellsModule }] }, async () => {
  key = await service.key({ scopes: SCOPES });
  await service.post('/v1/pets', key, '{"name":"Bella","categoryId":1,"status":"available"}');
  await service.post('/v1/store/orders', key, '{"petId":1}');
});

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

  it.each([
    ['application/json', ''],
    ['application/json; charset=utf-8', ''],
    ['application/json', 'chunked'],
    ['application/merge-patch+json', ''],
    ['application/x-www-form-urlencoded', ''],
    ['text/plain', ''],
    ['nonsense', ''],
  ])('is absent whatever Content-Type says: %s %s', async (type, coding) => {
    const headers: Record<string, string> = coding === '' ? {} : { 'Transfer-Encoding': coding };
    const bare = (method: string, path: string) =>
      ask(service.port, { method, path, key, headers: { 'Content-Type': type, ...headers } });
    const created = await bare('POST', '/v1/keys');
    expect(created.status).toBe(201);
    const { id } = (await created.json()) as { id: string };
    const rotated = await bare('POST', `/v1/keys/${id}/rotate`);
    expect(rotated.status).toBe(201);
    const { id: next } = (await rotated.json()) as { id: string };
    expect((await bare('DELETE', `/v1/keys/${next}`)).status).toBe(204);
    expect((await bare('GET', '/v1/pets')).status).toBe(200);
    for (const path of ['optional', 'none']) expect((await bare('POST', `/v1/bells/${path}`)).status).toBe(201);
    expect((await bare('PUT', '/v1/bells/optional')).status).toBe(200);
  });

  it.each([
    ['POST', '/v1/pets', 'application/json', 400, 'malformed_json'],
    ['PATCH', '/v1/pets/1', 'application/json', 400, 'malformed_json'],
    ['PATCH', '/v1/pets/1', 'application/merge-patch+json', 400, 'malformed_json'],
    ['PATCH', '/v1/keys/x', 'text/plain', 415, 'unsupported_media_type'],
    ['POST', '/v1/pets', 'text/plain', 415, 'unsupported_media_type'],
    ['POST', '/v1/bells/any', 'application/json', 400, 'malformed_json'],
  ])('is refused where one is needed: %s %s with %s', async (method, path, type, status, code) => {
    for (const headers of [{ 'Content-Length': '0' }, {}])
      expect(await errorOf(await send(method, path, { 'Content-Type': type, ...headers }))).toMatchObject({
        status,
        code,
      });
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
