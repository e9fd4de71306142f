import { describe, expect, it } from '@jest/globals';
import { Body, Controller, Module, Post, Put } from '@nestjs/common';
import { DEFAULT_SCOPES, SCOPES } from '../../src/auth/keys/scopes.js';
import { IntegerField, Operation, Public } from '../../src/index.js';
import { fetchDocument, operationNamed } from '../openapi/document.js';
import { errorOf, refusalOf } from '../support/expectations.js';
import { key, service, shareApp } from '../support/folders.js';
import { addHandlers, taking } from '../support/handlers.js';
import { ask, JSON_TYPE } from '../support/http.js';
import { operationsOf } from '../support/operations.js';

class Ring {
  @IntegerField({ description: 'How often.', example: 2, minimum: 1, maximum: 5, optional: true })
  times?: number;
}

const ringing = operationsOf('pets:read', 'Ring');
const CREATED = { success: { status: 201, description: 'Rung.' } };

@Controller('bells')
class BellsController {
  @Post('many')
  @Operation(ringing('ringMany', { ...CREATED, bodyLimitBytes: 500_000 }))
  ringMany(@Body('texts') texts: readonly string[]): object {
    return { count: texts.length };
  }
}

addHandlers(BellsController, {
  ring: [Post('none'), Operation(ringing('ring', CREATED))],
  ringOften: [Post('optional'), Operation(ringing('ringOften', CREATED)), taking([Body(), Ring])],
  putRing: [Put('optional'), Operation(ringing('putRing')), taking([Body(), Ring])],
  ringAny: [Post('any'), Operation(ringing('ringAny', CREATED)), taking([Body(), Object])],
  ringAnybody: [Post('anybody'), Public(), taking([Body(), Object])],
});

@Module({ controllers: [BellsController] })
class BellsModule {}

const PET = '{"name":"x","categoryId":1}';
const MERGE_PATCH = 'application/merge-patch+json';
const UNSUPPORTED = '415 unsupported_media_type';
const MALFORMED = '400 malformed_json';

shareApp({ extensions: [{ module: BellsModule }] }, { scopes: SCOPES });

const send = (method: string, path: string, type?: string, body: string | Buffer | null = null) =>
  service.request(path, { key, method, headers: type === undefined ? {} : { 'Content-Type': type }, body });

describe('a body', () => {
  it.each([
    ['nothing', ''],
    ['white space', '  '],
    ['half an object', '{"name":'],
    ['a trailing comma', '{"name":"x","categoryId":1,}'],
    ['two texts', `${PET}{}`],
    ['NaN', '{"name":"x","categoryId":NaN}'],
    ['a byte-order mark', `\ufeff${PET}`],
    ['8,000 levels', '['.repeat(8_000) + ']'.repeat(8_000)],
    ['invalid UTF-8', Buffer.from(PET.replace('x', '\xc3('), 'latin1')],
  ])('is malformed if it is %s', async (_, body) => {
    expect(await refusalOf(send('POST', '/v1/pets', 'application/json', body))).toBe(MALFORMED);
  });

  it('has at most 16 KiB', async () => {
    const body = PET.padEnd(16_384, ' ');
    expect((await service.post('/v1/pets', key, body)).status).toBe(201);
    expect(await refusalOf(service.post('/v1/pets', key, `${body} `))).toBe('413 payload_too_large');
  });
});

describe('an operation of an extension', () => {
  it('can accept larger bodies, and says how large', async () => {
    const texts = Array.from({ length: 10_000 }, (_, n) => `Feed pet number ${n}`);
    const many = await service.json('/v1/bells/many', { key, body: { texts } });
    expect(many).toMatchObject({ status: 201, body: { count: 10_000 } });
    const message = 'The request body must not exceed 500000 bytes';
    for (const length of [500_000, 600_000]) {
      const error = await errorOf(await service.post('/v1/bells/many', key, { texts: ['x'.repeat(length)] }));
      expect(error).toMatchObject({ status: 413, message: expect.stringContaining(message) });
    }
    const { responses } = operationNamed(await fetchDocument(service), 'ringMany');
    expect(JSON.stringify(responses['413'])).toContain(message);
  });

  it('has at most 16 KiB if anybody can call it', async () => {
    expect(await refusalOf(service.post('/v1/bells/anybody', '', { text: 'x'.repeat(17_000) }))).toBe(
      '413 payload_too_large',
    );
  });
});

describe('a media type', () => {
  it.each([
    ['POST', 'application/json', 201],
    ['POST', 'APPLICATION/JSON;charset=UTF-8', 201],
    ['PATCH', 'application/json', 200],
    ['PATCH', MERGE_PATCH, 200],
    ['PATCH', `${MERGE_PATCH}; charset=utf-8`, 200],
  ])('is accepted by a %s: %s', async (method, type, status) => {
    const { headers } = await service.post('/v1/pets', key, PET);
    const path = method === 'POST' ? '/v1/pets' : (headers.get('location') ?? '');
    expect((await send(method, path, type, PET)).status).toBe(status);
  });

  it.each([
    ['POST', 'text/plain'],
    ['POST', 'application/x-www-form-urlencoded'],
    ['POST', 'application/json; charset=latin1'],
    ['POST', 'application/jsonx'],
    ['POST', 'application/vnd.api+json'],
    ['POST', MERGE_PATCH],
    ['PATCH', 'application/json-patch+json'],
    ['PATCH', 'text/plain'],
    ['PATCH', 'merge-patch+json'],
  ])('is refused by a %s: %s', async (method, type) => {
    const { headers } = await service.post('/v1/pets', key, PET);
    const path = method === 'POST' ? '/v1/pets' : (headers.get('location') ?? '');
    expect(await refusalOf(send(method, path, type, PET))).toBe(UNSUPPORTED);
  });

  it('has no content encoding', async () => {
    const headers = { ...JSON_TYPE, 'Content-Encoding': 'gzip' };
    expect(await refusalOf(service.request('/v1/pets', { key, method: 'POST', headers, body: PET }))).toBe(UNSUPPORTED);
  });
});

describe('a request without a body', () => {
  it('is like one with an empty object where all fields are optional', async () => {
    const { status, body } = await service.json<{ scopes: string[] }>('/v1/keys', { key, method: 'POST' });
    expect([status, body.scopes]).toEqual([201, DEFAULT_SCOPES]);
  });

  it.each([
    [undefined, ''],
    ['application/json', ''],
    ['application/json; charset=utf-8', ''],
    ['application/json', 'chunked'],
    [MERGE_PATCH, ''],
    ['application/x-www-form-urlencoded', ''],
    ['nonsense', ''],
  ])('is accepted whatever Content-Type says: %s %s', async (type, coding) => {
    const headers: Record<string, string> = {
      ...(type === undefined ? {} : { 'Content-Type': type }),
      ...(coding === '' ? {} : { 'Transfer-Encoding': coding }),
    };
    const bare = (method: string, path: string) => ask(service.port, { method, path, key, headers });
    const made = await bare('POST', '/v1/keys');
    const { id } = (await made.json()) as { id: string };
    const statuses = [made.status];
    for (const [method, path] of [
      ['POST', `/v1/keys/${id}/rotate`],
      ['DELETE', `/v1/keys/${id}`],
      ['GET', '/v1/pets'],
      ['POST', '/v1/bells/optional'],
      ['POST', '/v1/bells/none'],
      ['PUT', '/v1/bells/optional'],
    ] as const)
      statuses.push((await bare(method, path)).status);
    expect(statuses).toEqual([201, 201, 204, 200, 201, 201, 200]);
  });

  it.each([
    ['POST', '/v1/pets', undefined, UNSUPPORTED],
    ['POST', '/v1/store/orders', undefined, UNSUPPORTED],
    ['PATCH', '/v1/pets/1', undefined, UNSUPPORTED],
    ['PATCH', '/v1/categories/1', undefined, UNSUPPORTED],
    ['POST', '/v1/pets', 'application/json', MALFORMED],
    ['PATCH', '/v1/pets/1', 'application/json', MALFORMED],
    ['PATCH', '/v1/pets/1', MERGE_PATCH, MALFORMED],
    ['PATCH', '/v1/keys/x', 'text/plain', UNSUPPORTED],
    ['POST', '/v1/pets', 'text/plain', UNSUPPORTED],
    ['POST', '/v1/bells/any', 'application/json', MALFORMED],
  ])('is refused where one is needed: %s %s with %s', async (method, path, type, refusal) => {
    expect(await refusalOf(send(method, path, type))).toBe(refusal);
  });
});
