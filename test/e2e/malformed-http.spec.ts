import { connect } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Registry } from '../../src/index.js';
import { FakeClock, trio } from '../support/app.js';
import { errorIn, type ErrorObject } from '../support/expectations.js';
import { type RawResponse, rawResponses } from '../support/raw-responses.js';
import { sendRaw } from '../support/raw.js';
import { service, sharePreparedApp } from '../support/folders.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const LARGE = 'x'.repeat(20_000);
const clock = new FakeClock();

let key: string;
let auth: string;
sharePreparedApp({ clock }, async () => {
  key = await service.key();
  auth = `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
});

const send = async (bytes: string | Buffer): Promise<RawResponse[]> => rawResponses(await sendRaw(service.port, bytes));

/** The only answer, which has to be an Error. */
async function refusal(bytes: string | Buffer): Promise<ErrorObject & { response: RawResponse }> {
  const [response, ...others] = await send(bytes);
  expect(others).toEqual([]);
  if (response === undefined) throw new Error('There is no response.');
  expect(response.headers.get('content-type')).toMatch(/^application\/json(;|$)/);
  return { ...errorIn(response.body, response.status), response };
}

/** Of a metric of what the parser refused. */
async function counted(status: number): Promise<number> {
  const text = await service.app.get(Registry).metrics();
  const line = new RegExp(
    `^http_server_request_duration_seconds_count\\{http_request_method="_OTHER",http_route="unmatched",http_response_status_code="${status}"\\} (\\d+)$`,
    'm',
  ).exec(text);
  return Number(line?.[1] ?? 0);
}

const request = (headers: string) => `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

describe('bytes that are not an HTTP request', () => {
  it.each<[string, number, string | Buffer]>([
    ['garbage', 400, '\x00\x01\x02garbage\r\n\r\n'],
    ['a line feed and nothing else', 400, 'GET\n\n'],
    ['a TLS greeting', 400, Buffer.from('16030100a5010000a10303', 'hex')],
    ['an HTTP/2 preface', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/2.0', 400, 'GET /v1/pets HTTP/2.0\r\nHost: x\r\n\r\n'],
    ['HTTP/0.9', 400, 'GET /v1/pets HTTP/0.9\r\nHost: x\r\n\r\n'],
    ['an unknown method', 400, 'BREW /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a method of RTSP', 400, 'DESCRIBE /v1/pets RTSP/1.0\r\n\r\n'],
    ['a NUL in the target', 400, 'GET /pets/\x00 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a NUL in a header', 400, request('X-A: a\x00b\r\n')],
    ['a header without a colon', 400, request('X-A x\r\n')],
    ['a folded header', 400, request(' folded\r\n')],
    ['two kinds of length', 400, request('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n')],
    ['two different lengths', 400, request('Content-Length: 5\r\nContent-Length: 6\r\n')],
    ['a length below zero', 400, request('Content-Length: -1\r\n')],
    ['large headers', 431, request(`X-Large: ${LARGE}\r\n`)],
    ['a large target', 431, `GET /v1/${LARGE} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['101 headers', 431, request('a:b\r\n'.repeat(100))],
    ['3,000 headers', 431, request('a:b\r\n'.repeat(2_999))],
  ])('get one Error, use no quota, are counted, and close the connection: %s', async (_, expected, bytes) => {
    clock.advanceSeconds(60);
    const before = await counted(expected);
    const { status, code, response } = await refusal(bytes);
    expect([status, code]).toEqual([expected, expected === 431 ? 'headers_too_large' : 'validation_failed']);
    expect(response.headers.get('x-request-id')).toMatch(UUID);
    expect(Date.parse(response.headers.get('date') ?? '')).toBeGreaterThan(1_700_000_000_000);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('connection')).toBe('close');
    expect(response.headers.has('x-ratelimit-limit')).toBe(false);
    expect(await counted(expected)).toBe(before + 1);
    expect(trio(await service.request('/v1/pets')).remaining).toBe(299);
  });

  it('get one response, whatever comes after them', async () => {
    const before = await counted(400);
    expect((await refusal('GET /v1/pets HTTP/1.1\r\nHost x\r\n\r\n'.repeat(5_000))).status).toBe(400);
    expect(await counted(400)).toBe(before + 1);
  });

  it('close the connection after the response to the request before them', async () => {
    const [response, ...others] = await send(`GET /v1/pets/77 HTTP/1.1\r\n${auth}\r\ngarbage\r\n\r\n`);
    expect([response?.status, response?.headers.get('connection'), others]).toEqual([404, 'close', []]);
  });

  it('get 408 if no headers arrive in time', async () => {
    const server: { headersTimeout: number } = service.app.getHttpServer();
    const usualMs = server.headersTimeout;
    server.headersTimeout = 100;
    const refusals = await Promise.all(['GET /v1/pets HTTP/1.1\r\nHost: x', ''].map(refusal));
    server.headersTimeout = usualMs;
    for (const { response, ...error } of refusals) {
      expect(error).toEqual({ code: 'request_timeout', message: 'The request did not arrive in time.', status: 408 });
      expect(response.headers.get('x-request-id')).toMatch(UUID);
    }
  });

  it('do not affect other requests', async () => {
    const socket = connect(service.port, '127.0.0.1');
    await new Promise((resolve) => socket.on('connect', resolve));
    socket.write(`POST /v1/pets HTTP/1.1\r\n${auth}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"na`);
    socket.resetAndDestroy();
    expect((await service.request('/v1/pets', { key })).status).toBe(200);
  });
});

describe('CONNECT', () => {
  it.each(['end', 'reset'])('closes the connection, however the client leaves it: %s', async (how) => {
    const socket = connect(service.port, '127.0.0.1');
    const received: unknown[] = [];
    socket.on('data', (bytes) => received.push(bytes)).on('error', () => undefined);
    socket.write('CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n');
    if (how === 'reset')
      await new Promise((resolve) => socket.once('connect', resolve)).then(() => socket.resetAndDestroy());
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received).toEqual([]);
    expect((await service.request('/v1/pets', { key })).status).toBe(200);
  });
});

describe('a body in chunks', () => {
  it('returns 413 as soon as there are too many', async () => {
    const chunk = `2000\r\n${' '.repeat(0x2000)}\r\n`;
    const bytes = `POST /v1/pets HTTP/1.1\r\n${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}`;
    expect(await refusal(bytes)).toMatchObject({ status: 413, code: 'payload_too_large' });
  });
});

describe('an unusual but valid request', () => {
  const close = 'Connection: close\r\n';

  it.each([
    ['with 100 headers', () => `GET /v1/pets HTTP/1.1\r\n${auth}${close}${'a:b\r\n'.repeat(97)}\r\n`],
    ['with a target in absolute form', () => `GET http://elsewhere/v1/pets HTTP/1.1\r\n${auth}${close}\r\n`],
    ['with an expectation of its own', () => `GET /v1/pets HTTP/1.1\r\n${auth}${close}Expect: the-unexpected\r\n\r\n`],
    [
      'that would upgrade',
      () => `GET /v1/pets HTTP/1.1\r\n${auth}Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
    ],
    ['with a body where none belongs', () => `GET /v1/pets HTTP/1.1\r\n${auth}${close}Content-Length: 3\r\n\r\nabc`],
    [
      'with an Accept that JSON does not meet',
      () => `GET /v1/pets HTTP/1.1\r\n${auth}${close}Accept: text/html\r\n\r\n`,
    ],
  ])('is accepted: %s', async (_, bytes) => {
    const [response] = await send(bytes());
    expect([response?.status, response?.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  });

  it('in absolute form needs a key like any other', async () => {
    expect((await refusal(`GET http://elsewhere/v1/pets HTTP/1.1\r\nHost: x\r\n${close}\r\n`)).code).toBe(
      'missing_api_key',
    );
  });
});

describe('too many connections', () => {
  it('are closed at once, and logged', async () => {
    const server = service.app.getHttpServer();
    const { maxConnections } = server;
    expect(maxConnections).toBe(5_000);
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    server.maxConnections = 0;
    const received = await sendRaw(service.port, request(''));
    server.maxConnections = maxConnections;
    expect(received).toBe('');
    expect(warn.mock.calls).toContainEqual([{ message: 'refused connection', reason: 'MAX_CONNECTIONS' }]);
    warn.mockRestore();
    expect((await service.request('/v1/pets', { key })).status).toBe(200);
  });
});

describe('slow clients', () => {
  it('have 10 s for the headers and 30 s for the whole request, checked every second', () => {
    const server: object = service.app.getHttpServer();
    expect(server).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 1_000,
    });
  });
});
