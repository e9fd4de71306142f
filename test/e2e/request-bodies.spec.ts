import { describe, expect, it } from '@jest/globals';
import { Body, Controller, type PipeTransform, Post, Put, UploadedFile, UseInterceptors } from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-fastify/multipart';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { DEFAULT_SCOPES, SCOPES } from '../../src/auth/keys/scopes.js';
import { Idempotent, IntegerField, Operation, Public } from '../../src/index.js';
import { fetchDocument, operationNamed } from '../openapi/document.js';
import { errorOf, refusalOf } from '../support/expectations.js';
import { extensionOf } from '../support/extensions.js';
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

class AnyPipe implements PipeTransform {
  readonly transform = (value: unknown) => value;
}

@Controller('bells')
class BellsController {
  @Put('photo')
  @Operation(ringing('putPhoto'))
  @ApiConsumes('image/png', 'image/jpeg')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  putPhoto(@Body() photo: Buffer): object {
    return { bytes: photo.length };
  }

  @Post('file')
  @Operation(ringing('sendFile', CREATED))
  @ApiConsumes('multipart/form-data')
  @ApiBody({ schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } } } })
  @UseInterceptors(FileInterceptor('file', { limits: { fileSize: 100_000 } }))
  sendFile(@UploadedFile() file: { originalname: string; buffer: Buffer }): object {
    return { name: file.originalname, bytes: file.buffer.length };
  }

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
  ringAny: [Post('any'), Operation(ringing('ringAny', CREATED)), taking([Body(AnyPipe), Object])],
  sendOnce: [Post('once'), Operation(ringing('sendOnce', CREATED)), Idempotent(), ApiConsumes('image/png')],
  ringAnybody: [Post('anybody'), Public(), taking([Body(AnyPipe), Object])],
});

const PET = '{"name":"x","categoryId":1}';
const MERGE_PATCH = 'application/merge-patch+json';
const UNSUPPORTED = '415 unsupported_media_type';
const MALFORMED = '400 malformed_json';

const BELLS = extensionOf(
  { controllers: [BellsController] },
  { configure: (app) => void app.useBodyParser(['image/png', 'image/jpeg'], { bodyLimit: 2_000 }) },
);
shareApp({ extensions: [BELLS] }, { scopes: SCOPES });

const send = (method: string, path: string, type?: string, body: string | Buffer | null = null) =>
  service.request(path, { key, method, headers: type === undefined ? {} : { 'Content-Type': type }, body });

describe('a body', () => {
  it('is malformed if it is not UTF-8', async () => {
    const body = Buffer.from(PET.replace('x', '\xc3('), 'latin1');
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
    const lists = Array.from({ length: 31_000 }, () => []);
    expect((await service.post('/v1/bells/many', key, { texts: lists.slice(0, 5_000) })).status).toBe(201);
    expect(await errorOf(await service.post('/v1/bells/many', key, { texts: lists }))).toMatchObject({
      message: 'The request body must not have more than 30518 members, objects and lists.',
    });
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

it.each([
  ['POST', 'application/json', 201],
  ['POST', 'APPLICATION/JSON;charset=UTF-8', 201],
  ['PATCH', 'application/json', 200],
  ['PATCH', MERGE_PATCH, 200],
  ['PATCH', `${MERGE_PATCH}; charset=utf-8`, 200],
])('a media type is accepted by a %s: %s', async (method, type, status) => {
  const { headers } = await service.post('/v1/pets', key, PET);
  const path = method === 'POST' ? '/v1/pets' : (headers.get('location') ?? '');
  expect((await send(method, path, type, PET)).status).toBe(status);
});

describe('a request without a body', () => {
  // Generated clients send `null` for a body that was left out.
  it.each(['', 'null', ' null '])(
    'is like one with an empty object where all fields are optional: %j',
    async (body) => {
      const made = await service.request('/v1/keys', { key, method: 'POST', headers: JSON_TYPE, body });
      expect([made.status, ((await made.json()) as { scopes: string[] }).scopes]).toEqual([201, DEFAULT_SCOPES]);
    },
  );

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

const putPhoto = (type: string, body: string | Buffer) => send('PUT', '/v1/bells/photo', type, body);
const sendFile = (bytes: number) => {
  const body = new FormData();
  body.set('file', new File(['x'.repeat(bytes)], 'rex.png'));
  return service.request('/v1/bells/file', { key, method: 'POST', body });
};

describe('a file', () => {
  it('is a raw body, up to a size', async () => {
    expect(await (await putPhoto('image/png', Buffer.alloc(1_900))).json()).toEqual({ bytes: 1_900 });
    expect(await refusalOf(putPhoto('image/jpeg', Buffer.alloc(2_100)))).toBe('413 payload_too_large');
  });

  it.each(['image/gif', 'application/json'])('of another media type gets those of the operation: %s', async (type) => {
    const response = await putPhoto(type, '{"length":9}');
    expect(response.headers.get('accept')).toBe('image/png, image/jpeg');
    expect(await errorOf(response)).toMatchObject({
      code: 'unsupported_media_type',
      message: 'Send the body with Content-Type: image/png or image/jpeg.',
    });
  });

  it('is a part of a form, which does not have the limit of JSON bodies', async () => {
    expect(await (await sendFile(90_000)).json()).toEqual({ name: 'rex.png', bytes: 90_000 });
    expect(await refusalOf(sendFile(110_000))).toBe('413 payload_too_large');
  });

  it('is refused with an Idempotency-Key, which would not tell one file from another', async () => {
    const headers = { 'Content-Type': 'image/png', 'Idempotency-Key': 'rex' };
    const response = await service.request('/v1/bells/once', { key, method: 'POST', headers, body: 'abc' });
    expect(await errorOf(response)).toEqual({
      status: 400,
      code: 'validation_failed',
      message: 'Idempotency-Key must not be sent with a body that is not JSON.',
    });
  });

  it('is documented with its media types', async () => {
    const document = await fetchDocument(service);
    const binary = { schema: { type: 'string', format: 'binary' } };
    expect(operationNamed(document, 'putPhoto').operation.requestBody).toMatchObject({
      content: { 'image/png': binary, 'image/jpeg': binary },
    });
    expect(operationNamed(document, 'sendFile').operation.requestBody).toMatchObject({
      content: { 'multipart/form-data': { schema: { properties: { file: binary.schema } } } },
    });
  });
});
