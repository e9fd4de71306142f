import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { errorIn } from '../support/expectations.js';
import { type RawResponse, rawResponses } from '../support/raw-responses.js';
import { sendRaw } from '../support/raw.js';
import { service, sharePreparedApp } from '../support/folders.js';

const PET = '{"name":"x","categoryId":1}';

let key: string;
let auth: string;
sharePreparedApp({}, async () => {
  key = await service.key();
  auth = `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
});

const send = async (bytes: string | Buffer): Promise<RawResponse[]> => rawResponses(await sendRaw(service.port, bytes));

/** The only answer, which has to be an Error. */
async function refusal(bytes: string | Buffer): Promise<{ status: number; code: string; response: RawResponse }> {
  const responses = await send(bytes);
  expect(responses).toHaveLength(1);
  const response = responses[0] as RawResponse;
  expect(response.headers.get('content-type')).toMatch(/^application\/json(;|$)/);
  return { ...errorIn(response.body, response.status), response };
}

describe('bytes that are not an HTTP request', () => {
  it.each<[string, number, string | Buffer]>([
    ['garbage', 400, '\x00\x01\x02garbage\r\n\r\n'],
    ['a line feed and nothing else', 400, 'GET\n\n'],
    ['a TLS greeting', 400, Buffer.from('16030100a5010000a10303', 'hex')],
    ['an HTTP/2 preface', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method nobody knows', 400, 'FOO /pets HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a method of RTSP', 400, 'DESCRIBE /pets HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a NUL in the target', 400, 'GET /pets/\x00 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a NUL in a header', 400, 'GET /pets HTTP/1.1\r\nHost: x\r\nX-A: a\x00b\r\n\r\n'],
    ['a header without a colon', 400, 'GET /pets HTTP/1.1\r\nHost x\r\n\r\n'],
    ['a folded header', 400, 'GET /pets HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n'],
    [
      'Content-Length and Transfer-Encoding',
      400,
      'POST /pets HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'two different lengths',
      400,
      'POST /pets HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
    ],
    ['a length below zero', 400, 'POST /pets HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
  ])('get exactly one Error response: %s', async (_, expected, bytes) => {
    const { status, response } = await refusal(bytes);
    expect(status).toBe(expected);
    expect(response.headers.get('connection')).toBe('close');
    expect(response.headers.has('x-ratelimit-limit')).toBe(false);
  });

  it('get 431 if the headers are too large', async () => {
    const { status, code } = await refusal(`GET /v1/pets HTTP/1.1\r\n${auth}X-Large: ${'x'.repeat(70_000)}\r\n\r\n`);
    expect([status, code]).toEqual([431, 'headers_too_large']);
  });

  it('get 431 if the request line is too large', async () => {
    const { status, code } = await refusal(`GET /v1/${'x'.repeat(70_000)} HTTP/1.1\r\n${auth}\r\n`);
    expect([status, code]).toEqual([431, 'headers_too_large']);
  });

  it('close the connection after the response to the request before them', async () => {
    const [response, ...others] = await send(`GET /v1/pets/77 HTTP/1.1\r\n${auth}\r\ngarbage\r\n\r\n`);
    expect([response?.status, response?.headers.get('connection'), others]).toEqual([404, 'close', []]);
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

describe('a body that breaks HTTP', () => {
  it('returns 400 if a chunk has no size', async () => {
    const bytes = `POST /v1/pets HTTP/1.1\r\n${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${PET}\r\n0\r\n\r\n`;
    expect((await refusal(bytes)).status).toBe(400);
  });

  it('returns 413 as soon as it has too many chunks', async () => {
    const chunk = `2000\r\n${' '.repeat(0x2000)}\r\n`;
    const bytes = `POST /v1/pets HTTP/1.1\r\n${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}`;
    expect(await refusal(bytes)).toMatchObject({ status: 413, code: 'payload_too_large' });
  });

  it('is accepted in valid chunks', async () => {
    const bytes = `POST /v1/pets HTTP/1.1\r\n${auth}Connection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1b\r\n${PET}\r\n0\r\n\r\n`;
    expect((await send(bytes)).map(({ status }) => status)).toEqual([201]);
  });
});

describe('an unusual but valid request', () => {
  const close = 'Connection: close\r\n';

  it('returns 400 with the rate-limit headers if it has no Host', async () => {
    const { status, code, response } = await refusal(
      `GET /v1/pets HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n${close}\r\n`,
    );
    expect([status, code]).toEqual([400, 'validation_failed']);
    expect(response.headers.get('x-ratelimit-limit')).toBe('1000');
  });

  it.each([
    ['in HTTP/1.0', () => `GET /v1/pets HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n\r\n`],
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
