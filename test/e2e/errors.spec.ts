import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ERROR_CODES, type ErrorCode } from '../../src/errors/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { errorIn, errorOf } from '../support/expectations.js';
import { FaultsModule } from '../support/faults.module.js';
import { type Ask, ask, JSON_TYPE } from '../support/http.js';
import { type RawAnswer, rawAnswers } from '../support/raw-answers.js';
import { sendRaw } from '../support/raw.js';

const PET = '{"name":"x","categoryId":1}';

let service: TestApp;
let key: string;
let auth: string;

beforeAll(async () => {
  service = await startApp({ extensions: [{ module: FaultsModule }] });
  key = await service.key();
  auth = `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
});
afterAll(() => service.stop());

const send = async (bytes: string | Buffer): Promise<RawAnswer[]> => rawAnswers(await sendRaw(service.port, bytes));

/** The only answer, which has to be an Error. */
async function refusal(bytes: string | Buffer): Promise<{ status: number; code: string; answer: RawAnswer }> {
  const answers = await send(bytes);
  expect(answers).toHaveLength(1);
  const answer = answers[0] as RawAnswer;
  expect(answer.headers.get('content-type')).toMatch(/^application\/json(;|$)/);
  return { ...errorIn(answer.body, answer.status), answer };
}

describe('bytes that are no HTTP request', () => {
  it.each<[string, string | Buffer]>([
    ['garbage', '\x00\x01\x02garbage\r\n\r\n'],
    ['a line feed and nothing else', 'GET\n\n'],
    ['a TLS greeting', Buffer.from('16030100a5010000a10303', 'hex')],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method nobody knows', 'FOO /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a NUL in the target', 'GET /v1/pets/\x00 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a NUL in a header', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nX-A: a\x00b\r\n\r\n'],
    ['a header without a colon', 'GET /v1/pets HTTP/1.1\r\nHost x\r\n\r\n'],
    ['a folded header', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n'],
    ['Content-Length and Transfer-Encoding', 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two different lengths', 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello'],
    ['a length below zero', 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n'],
  ])('get the Error body and nothing else: %s', async (_, bytes) => {
    const { status, answer } = await refusal(bytes);
    expect(status).toBe(400);
    expect(answer.headers.get('connection')).toBe('close');
    expect(answer.headers.has('x-ratelimit-limit')).toBe(false);
  });

  it('are 431 where the headers are too large', async () => {
    const { status, code } = await refusal(`GET /v1/pets HTTP/1.1\r\n${auth}X-Large: ${'x'.repeat(70_000)}\r\n\r\n`);
    expect([status, code]).toEqual([431, 'headers_too_large']);
  });

  it('are 431 where the request line is too large', async () => {
    const { status, code } = await refusal(`GET /v1/${'x'.repeat(70_000)} HTTP/1.1\r\n${auth}\r\n`);
    expect([status, code]).toEqual([431, 'headers_too_large']);
  });

  it('come after the answers to the good requests before them', async () => {
    const good = ['/v1/pets', '/v1/nothing', '/v1/pets/77'].map((path) => `GET ${path} HTTP/1.1\r\n${auth}\r\n`);
    const answers = await send(`${good.join('')}garbage\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 404, 400]);
    expect(errorIn(answers[2]?.body ?? '', 404).code).toBe('pet_not_found');
    expect(errorIn(answers[3]?.body ?? '', 400).code).toBe('validation_failed');
  });

  it('do not keep the service from serving', async () => {
    const socket = connect(service.port, '127.0.0.1');
    await new Promise((resolve) => socket.on('connect', resolve));
    socket.write(`POST /v1/pets HTTP/1.1\r\n${auth}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"na`);
    socket.resetAndDestroy();
    expect((await service.request('/v1/pets', { key })).status).toBe(200);
  });
});

describe('a body that breaks HTTP', () => {
  it('is 400 where a chunk has no size', async () => {
    const bytes = `POST /v1/pets HTTP/1.1\r\n${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${PET}\r\n0\r\n\r\n`;
    expect((await refusal(bytes)).status).toBe(400);
  });

  it('is 413 as soon as its chunks are too many', async () => {
    const chunk = `2000\r\n${' '.repeat(0x2000)}\r\n`;
    const bytes = `POST /v1/pets HTTP/1.1\r\n${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}`;
    expect(await refusal(bytes)).toMatchObject({ status: 413, code: 'payload_too_large' });
  });

  it('is taken in chunks where these are right', async () => {
    const bytes = `POST /v1/pets HTTP/1.1\r\n${auth}Connection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1b\r\n${PET}\r\n0\r\n\r\n`;
    expect((await send(bytes)).map(({ status }) => status)).toEqual([201]);
  });
});

describe('an odd but proper request', () => {
  const close = 'Connection: close\r\n';

  it('without Host is 400 with the trio', async () => {
    const { status, code, answer } = await refusal(`GET /v1/pets HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n${close}\r\n`);
    expect([status, code]).toEqual([400, 'validation_failed']);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('1000');
  });

  it.each([
    ['in HTTP/1.0', () => `GET /v1/pets HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n\r\n`],
    ['with a target in absolute form', () => `GET http://elsewhere/v1/pets HTTP/1.1\r\n${auth}${close}\r\n`],
    ['with an expectation of its own', () => `GET /v1/pets HTTP/1.1\r\n${auth}${close}Expect: the-unexpected\r\n\r\n`],
    ['that would upgrade', () => `GET /v1/pets HTTP/1.1\r\n${auth}Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`],
    ['with a body where none belongs', () => `GET /v1/pets HTTP/1.1\r\n${auth}${close}Content-Length: 3\r\n\r\nabc`],
    ['with an Accept that JSON does not meet', () => `GET /v1/pets HTTP/1.1\r\n${auth}${close}Accept: text/html\r\n\r\n`],
  ])('%s is served', async (_, bytes) => {
    const [answer] = await send(bytes());
    expect([answer?.status, answer?.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  });

  it('in absolute form needs a key as any', async () => {
    expect((await refusal(`GET http://elsewhere/v1/pets HTTP/1.1\r\nHost: x\r\n${close}\r\n`)).code).toBe('missing_api_key');
  });
});

describe('methods and paths', () => {
  it('HEAD is GET without the body', async () => {
    const bytes = await sendRaw(service.port, `HEAD /v1/pets HTTP/1.1\r\n${auth}Connection: close\r\n\r\n`);
    const answer = await ask(service.port, { path: '/v1/pets', key });
    expect(bytes).toMatch(/^HTTP\/1\.1 200 /);
    expect(bytes.split('\r\n\r\n')[1]).toBe('');
    expect(bytes.toLowerCase()).toContain(`content-length: ${answer.headers.get('content-length')}\r\n`);
  });

  it.each([['/v1/pets', ['GET', 'HEAD', 'OPTIONS', 'POST']], ['/v1/pets/1', ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH']]])('OPTIONS %s is 204 with Allow', async (path, methods) => {
    const answer = await ask(service.port, { method: 'OPTIONS', path, key });
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(answer.headers.get('allow')?.split(', ').toSorted()).toEqual(methods);
  });

  it.each(['DELETE', 'PUT', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH', 'LINK'])('%s is 405 with Allow', async (method) => {
    const answer = await ask(service.port, { method, path: '/v1/pets', key });
    expect(answer.headers.get('allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST']);
    expect(await errorOf(answer)).toMatchObject({ status: 405, code: 'method_not_allowed', message: expect.stringContaining(method) });
  });

  it.each(['/v1/pets/', '/v1/pets/1/', '/v1//pets', '/v1/Pets', '/v1/pets/1/2', '/v1/pet', '/v1/'])('%s is a path where nothing is', async (path) => {
    expect(await errorOf(await ask(service.port, { path, key }))).toMatchObject({ status: 404, code: 'route_not_found' });
    expect(await errorOf(await ask(service.port, { method: 'PUT', path, key }))).toMatchObject({ status: 404, code: 'route_not_found' });
  });
});

describe('the registry of codes', () => {
  it.each<[string, Ask]>([
    ['QUERY without a media type', { method: 'QUERY', path: '/v1/pets' }],
    ['QUERY with one', { method: 'QUERY', path: '/v1/pets', headers: JSON_TYPE, body: '{}' }],
    ['QUERY of nothing', { method: 'QUERY', path: '/v1/nothing' }],
    ['a media type that is none', { method: 'POST', path: '/v1/pets', headers: { 'Content-Type': ';;;' }, body: '{}' }],
    ['an empty media type', { method: 'POST', path: '/v1/pets', headers: { 'Content-Type': '' }, body: '{}' }],
    ['a media type where nothing is', { method: 'POST', path: '/v1/nothing', headers: { 'Content-Type': ';;;' }, body: '{}' }],
    ['a media type that a method can not have', { method: 'PUT', path: '/v1/pets', headers: { 'Content-Type': ';;;' }, body: '{}' }],
    ['DELETE with a body', { method: 'DELETE', path: '/v1/pets', headers: JSON_TYPE, body: '{' }],
    ['an unknown path with a body', { method: 'POST', path: '/v1/nothing', headers: JSON_TYPE, body: '{' }],
    ['a body of 1 MB where nothing is', { method: 'POST', path: '/v1/nothing', headers: JSON_TYPE, body: ' '.repeat(1_048_576) }],
  ])('has the code, with its status, of every error: %s', async (_, request) => {
    const { code, status } = await errorOf(await ask(service.port, { ...request, key }));
    expect([code, status]).toEqual([code, ERROR_CODES[code as ErrorCode]?.status]);
  });
});

describe('slow clients', () => {
  it('have 10 s for the headers and 30 s for all of a request, looked at every second', () => {
    const server: object = service.app.getHttpServer();
    expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 });
  });
});

describe('a handler that fails', () => {
  it.each(['error', 'text', 'query', 'status', 'circular'])('shows nothing of why: %s', async (fault) => {
    const { status, answer } = await refusal(`GET /v1/faults/${fault} HTTP/1.1\r\n${auth}Connection: close\r\n\r\n`);
    expect([status, JSON.parse(answer.body).code]).toEqual([500, 'internal_error']);
    expect(JSON.stringify([answer.body, ...answer.headers])).not.toMatch(/hunter|postgres|SELECT|circular/i);
  });

  it('with a status of Nest\'s keeps it, in the shape of an Error', async () => {
    const body = await errorOf(await service.request('/v1/faults/teapot', { key }));
    expect(body.status).toBe(418);
    expect(JSON.stringify(body)).not.toContain('hunter');
  });
});
