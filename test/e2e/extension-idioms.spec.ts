import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type ArgumentMetadata,
  Module,
  type NestInterceptor,
  type PipeTransform,
  ValidationPipe,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { WsAdapter } from '@nestjs/platform-ws';
import { map } from 'rxjs';
import { fetchDocument, operationNamed } from '../openapi/document.js';
import { startApp } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { key, service, shareApp } from '../support/folders.js';
import { HOOK_SECRET, NOTES, printer } from '../support/idioms.module.js';

const NOTE = { text: 'Feed Rex', author: { email: 'ada@example.com' } };

/** Global in the way of Nest's documentation. */
class UpperPipe implements PipeTransform {
  transform(value: unknown, { data }: ArgumentMetadata): unknown {
    return data === 'word' && typeof value === 'string' ? value.toUpperCase() : value;
  }
}

shareApp(
  {
    extensions: [NOTES],
    configure: (app) => {
      app.useGlobalPipes(
        new UpperPipe(),
        new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }),
      );
      app.useWebSocketAdapter(new WsAdapter(app));
    },
  },
  { scopes: ['notes:use', 'notes:print', 'pets:read', 'pets:write', 'keys:manage'] },
);

const get = (path: string, headers: Record<string, string> = {}) => service.request(`/v1${path}`, { key, headers });
const post = (path: string, body: unknown) => service.post(`/v1${path}`, key, JSON.stringify(body));
const bodyOf = async (response: Promise<Response>) => (await (await response).json()) as Record<string, unknown>;

describe("parameters, as in Nest's documentation", () => {
  it('can be class-validator DTOs, nested ones included', async () => {
    expect(await bodyOf(post('/notes', NOTE))).toMatchObject({ ...NOTE, isInstance: true });
    const faults = await errorOf(await post('/notes', { text: 5, author: { email: 'x', age: 3 } }));
    expect(faults).toMatchObject({ status: 400, code: 'validation_failed' });
    for (const fault of ['text must be', 'author.email must be an email', '"age" is not a known field'])
      expect(faults.message).toContain(fault);
  });

  it('can be integers of any size, which handlers can return', async () => {
    const response = await service.post('/v1/notes/text', key, '{"text":-9223372036854775808}');
    expect([response.status, await response.text()]).toEqual([201, '{"text":-9223372036854775808,"stamped":true}']);
  });

  it('can be single members of a body or query, and numbers', async () => {
    expect(await bodyOf(post('/notes/text', { text: 'x' }))).toMatchObject({ text: 'x' });
    expect(await bodyOf(get('/notes?limit=2'))).toMatchObject({ limit: 2 });
    expect(await bodyOf(get('/notes'))).toMatchObject({ limit: 3 });
    expect(await bodyOf(get('/notes/search?word=x'))).toMatchObject({ word: 'X' });
    expect(await bodyOf(get('/notes/numbers/12'))).toMatchObject({ number: 12 });
    for (const path of ['/notes?limit=6', '/notes?limits=2', '/notes/numbers/twelve'])
      expect(await errorOf(await get(path))).toMatchObject({ status: 400, code: 'validation_failed' });
  });
});

describe('global enhancers', () => {
  it('work as providers of a module: pipes, interceptors and guards', async () => {
    expect(await errorOf(await get('/notes/search?word=rude'))).toEqual({
      status: 409,
      code: 'conflict',
      message: 'The pipe of the extension refuses this.',
    });
    expect(await bodyOf(get('/notes'))).toMatchObject({ stamped: true });
    expect(await errorOf(await get('/notes', { 'x-hours': 'closed' }))).toMatchObject({ status: 403 });
  });

  it('work in configure()', async () => {
    expect(await bodyOf(get('/notes/search?word=turn'))).toMatchObject({ word: 'NRUT' });
  });

  it('leave the metrics as they are, even if they wrap all responses', async () => {
    const wrap: NestInterceptor = {
      intercept: (_context, next) => next.handle().pipe(map((data: unknown) => ({ data }))),
    };
    @Module({ providers: [{ provide: APP_INTERCEPTOR, useValue: wrap }] })
    class WrappingModule {}
    const wrapping = await startApp({ extensions: [{ module: WrappingModule }] });
    const [metrics, pets] = [
      await wrapping.request('/metrics'),
      await wrapping.request('/v1/pets', { key: await wrapping.key() }),
    ];
    expect([await metrics.text(), await pets.json()]).toEqual([expect.stringMatching(/^# HELP /), { data: '[]' }]);
    await wrapping.stop();
  });

  it('do not affect the operations of the service', async () => {
    const pet = { name: 'Rex', categoryId: 3 };
    const response = await post('/pets', pet);
    expect([response.status, await response.json()]).toEqual([201, { ...pet, id: expect.any(Number) }]);
    expect(await (await get('/pets')).json()).toEqual([{ ...pet, id: expect.any(Number) }]);
    expect((await post('/pets', { name: 'Rex' })).status).toBe(400);
  });
});

describe('responses', () => {
  it.each([
    ['conflict', 409, 'conflict', 'The note is open elsewhere.'],
    ['gateway', 502, 'bad_gateway', 'The printer is away.'],
    ['forbidden', 403, 'forbidden', 'The note is private.'],
    ['unauthorized', 401, 'unauthorized', 'Unauthorized'],
    ['object', 400, 'validation_failed', 'The note is empty.'],
    ['list', 400, 'validation_failed', 'text is empty; author is missing'],
    ['otherwise', 404, 'not_found', 'Not Found'],
  ])('have the status and the message of exceptions: %s', async (kind, status, code, message) => {
    expect(await errorOf(await get(`/notes/failing/${kind}`))).toEqual({ status, code, message });
  });

  it('are text or files if a handler returns them', async () => {
    const text = await get('/notes/text');
    expect([text.headers.get('content-type'), await text.text()]).toEqual(['text/plain; charset=utf-8', 'no "JSON"']);
    const file = await get('/notes/file');
    expect([file.headers.get('content-type'), await file.text()]).toEqual(['text/csv', 'a,b']);
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="notes.csv"');
  });
});

describe('an operation', () => {
  it('can respond with another media type than JSON, and documents it', async () => {
    const table = await get('/notes/table');
    expect([table.headers.get('content-type'), await table.text()]).toEqual(['text/csv', 'text\nFeed Rex']);
    const { content } = operationNamed(await fetchDocument(service), 'getTable').responses['200'] ?? {};
    expect(Object.keys(content ?? {})).toEqual(['text/csv']);
  });

  it('can accept larger bodies, and says how large', async () => {
    const texts = Array.from({ length: 10_000 }, (_, n) => `Feed pet number ${n}`);
    expect(await bodyOf(post('/notes/many', { texts }))).toMatchObject({ count: 10_000 });
    const message = 'The request body must not exceed 500000 bytes';
    for (const length of [500_000, 600_000]) {
      const error = await errorOf(await post('/notes/many', { texts: ['x'.repeat(length)] }));
      expect(error).toMatchObject({ status: 413, message: expect.stringContaining(message) });
    }
    expect(await errorOf(await post('/notes', { text: 'x'.repeat(17_000) }))).toMatchObject({ status: 413 });
    const { responses } = operationNamed(await fetchDocument(service), 'createNotes');
    expect(JSON.stringify(responses['413'])).toContain(message);
  });
});

describe('other kinds of routes', () => {
  it('are uploads, without the limits of JSON bodies', async () => {
    const form = new FormData();
    form.set('file', new File(['x'.repeat(100_000)], 'rex.txt'));
    const response = await service.request('/v1/notes/file', { key, method: 'POST', body: form });
    expect([response.status, await response.json()]).toEqual([201, { name: 'rex.txt', size: 100_000, stamped: true }]);
    const anonymous = await service.request('/v1/notes/file', { method: 'POST', body: form });
    expect(await errorOf(anonymous)).toMatchObject({ status: 401 });
  });

  it('are WebSockets', async () => {
    const socket = new WebSocket(`${service.origin.replace('http', 'ws')}/notes`);
    const message = await new Promise((resolve, reject) => {
      socket.addEventListener('open', () => socket.send(JSON.stringify({ event: 'greet' })));
      socket.addEventListener('message', ({ data }) => resolve(data));
      socket.addEventListener('error', () => reject(new Error('The socket failed.')));
    });
    socket.close();
    expect(JSON.parse(String(message))).toMatchObject({ event: 'greeting', data: 'hello' });
  });

  it('are webhooks, whose signature is that of the bytes of the body', async () => {
    const body = '{ "paid":  1.50 }';
    const send = (signature: string) =>
      service.request('/v1/hooks/notes/signed', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Signature': signature },
        body,
      });
    const signature = createHmac('sha256', HOOK_SECRET).update(body).digest('hex');
    expect(await bodyOf(send(signature))).toMatchObject({ received: { paid: 1.5 } });
    for (const wrong of ['', 'no hex', signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))])
      expect(await errorOf(await send(wrong))).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  it('are operations with a configuration for Fastify', async () => {
    expect(await bodyOf(get('/notes/configured'))).toMatchObject({ isNoted: true });
  });

  it('are public routes', async () => {
    expect(await bodyOf(service.request('/v1/open'))).toMatchObject({ open: true });
    const body = JSON.stringify({ paid: 12 });
    const headers = { 'Content-Type': 'application/json' };
    const response = await service.request('/v1/hooks/notes', { method: 'POST', headers, body });
    expect([response.status, await response.json()]).toEqual([201, { received: { paid: 12 }, stamped: true }]);
  });
});

describe('an extension', () => {
  afterEach(() => {
    Object.assign(printer, { isUp: true, isBroken: false });
  });

  it('can add metrics to the registry', async () => {
    await post('/notes', NOTE);
    expect(await (await service.request('/metrics')).text()).toMatch(/^notes_created_total [1-9]/m);
  });

  it('can add a health indicator', async () => {
    expect(await bodyOf(service.request('/health/ready'))).toMatchObject({ status: 'ready', printer: 'up' });
    printer.isUp = false;
    const response = await service.request('/health/ready');
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await errorOf(response)).toEqual({
      status: 503,
      code: 'service_unavailable',
      message: expect.stringContaining('printer'),
    });
  });

  it('can check its health at a path of its own, with details', async () => {
    const healthy = { status: 'ok', details: { printer: { status: 'up' } } };
    expect(await bodyOf(service.request('/v1/printer/health'))).toMatchObject(healthy);
    printer.isUp = false;
    const response = await service.request('/v1/printer/health');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ status: 'error', details: { printer: { status: 'down' } } });
  });

  it('makes the service not ready if its health indicator fails', async () => {
    printer.isBroken = true;
    const response = await service.request('/health/ready');
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await errorOf(response)).toMatchObject({ status: 503, code: 'service_unavailable' });
  });

  it('can add scopes, for keys over HTTP and for the document', async () => {
    const made = await post('/keys', { scopes: ['notes:use', 'notes:print'] });
    expect([made.status, await made.json()]).toEqual([
      201,
      expect.objectContaining({ scopes: ['notes:use', 'notes:print'] }),
    ]);
    expect(await errorOf(await post('/keys', { scopes: ['notes:burn'] }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('notes:print'),
    });
    const { components } = (await bodyOf(service.request('/openapi.json'))) as unknown as {
      components: { schemas: Record<string, { enum: string[] }> };
    };
    expect(components.schemas['ApiKeyScope']?.enum).toEqual(
      expect.arrayContaining(['pets:read', 'notes:use', 'notes:print']),
    );
    expect(components.schemas['KnownErrorCode']?.enum).toContain('printer_jammed');
  });
});
