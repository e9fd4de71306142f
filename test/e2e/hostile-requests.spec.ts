import { describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { createServer } from '../../src/http/server.js';
import { loadEnv } from '../../src/index.js';
import { FakeClock, trio } from '../support/app.js';
import { errorIn, type ErrorObject, errorOf } from '../support/expectations.js';
import { metricOf } from '../support/metrics.js';
import { openRaw, type RawResponse, rawResponses, sendRaw } from '../support/raw.js';
import { service, sharePreparedApp } from '../support/folders.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const LARGE = 'x'.repeat(20_000);
/**
 * Many times what these requests take, as the slow way that each of them could find (a pattern that backtracks, a copy
 * for every key) takes seconds. The time of the client counts too, as it runs in the same thread.
 */
const LIMIT_MS = 250;
const BODY_BYTES = 16_384;
/** Collecting the garbage of other tests may take one of them long; a slow way takes all of them long. */
const ATTEMPTS = 5;

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
const counted = async (status: number) => {
  const labels = `http_request_method="_OTHER",http_route="unmatched",http_response_status_code="${status}"`;
  return (await metricOf(service, `http_server_request_duration_seconds_count{${labels}}`)) || 0;
};

const METHOD = /: it does not begin with a method in capital letters, such as GET\.$/;
const FIRST_LINE = /: its first line does not end with HTTP\/1\.1 and CRLF\.$/;
const URL_CHARACTER = /: its path or query has a character that must be percent-encoded, such as a space\.$/;
const HEADER = /: the name or the value of a header has a character that is not allowed there\.$/;
const TOO_LARGE = /^The request line and headers are larger than this service accepts, or /;

const request = (headers: string) => `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

describe('bytes that are not an HTTP request', () => {
  it.each<[string, string | Buffer, RegExp]>([
    ['garbage', '\x00\x01\x02garbage\r\n\r\n', METHOD],
    ['a line feed and nothing else', 'GET\n\n', METHOD],
    ['a TLS greeting', Buffer.from('16030100a5010000a10303', 'hex'), METHOD],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', FIRST_LINE],
    ['HTTP/2.0', 'GET /v1/pets HTTP/2.0\r\nHost: x\r\n\r\n', FIRST_LINE],
    ['HTTP/0.9', 'GET /v1/pets HTTP/0.9\r\nHost: x\r\n\r\n', FIRST_LINE],
    ['HTTP/1.3', 'GET /v1/pets HTTP/1.3\r\nHost: x\r\n\r\n', FIRST_LINE],
    ['lines that end with LF', 'GET /v1/pets HTTP/1.1\nHost: x\n\n', FIRST_LINE],
    ['an unknown method', 'BREW /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n', METHOD],
    ['a method in small letters', 'get /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n', METHOD],
    ['a method of RTSP', 'DESCRIBE /v1/pets RTSP/1.0\r\n\r\n', METHOD],
    ['a NUL in the target', 'GET /pets/\x00 HTTP/1.1\r\nHost: x\r\n\r\n', URL_CHARACTER],
    ['a space in the target', 'GET /v1/pets?name=a b HTTP/1.1\r\nHost: x\r\n\r\n', URL_CHARACTER],
    ['an umlaut in the target', 'GET /v1/hüte HTTP/1.1\r\nHost: x\r\n\r\n', URL_CHARACTER],
    ['a NUL in a header', request('X-A: a\x00b\r\n'), HEADER],
    ['a header without a colon', request('X-A x\r\n'), HEADER],
    ['a space before a colon', request('X-A : x\r\n'), HEADER],
    ['a folded header', request(' folded\r\n'), HEADER],
    ['CR within a header', request('X-A: a\rX-B: b\r\n'), /a line does not end with CRLF/],
    ['two kinds of length', request('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'), /with Content-Length/],
    ['the same in reverse', request('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n'), /with Transfer-Encoding/],
    ['two different lengths', request('Content-Length: 5\r\nContent-Length: 6\r\n'), /Content-Length is sent twice/],
    ['a length below zero', request('Content-Length: -1\r\n'), /Content-Length is not a number of bytes/],
    ['large headers', request(`X-Large: ${LARGE}\r\n`), TOO_LARGE],
    ['a large target', `GET /v1/${LARGE} HTTP/1.1\r\nHost: x\r\n\r\n`, TOO_LARGE],
    ['101 headers', request('a:b\r\n'.repeat(100)), TOO_LARGE],
    ['3,000 headers', request('a:b\r\n'.repeat(2_999)), TOO_LARGE],
  ])('get one Error that names the fault, use no quota, and close the connection: %s', async (_, bytes, fault) => {
    const expected = fault === TOO_LARGE ? 431 : 400;
    clock.advanceSeconds(60);
    const before = await counted(expected);
    const { status, code, message, response } = await refusal(bytes);
    expect([status, code]).toEqual([expected, expected === 431 ? 'headers_too_large' : 'validation_failed']);
    expect(message).toMatch(fault);
    expect(response.headers.get('x-request-id')).toMatch(UUID);
    expect(Date.parse(response.headers.get('date') ?? '')).toBeGreaterThan(1_700_000_000_000);
    const names = ['x-content-type-options', 'connection', 'x-ratelimit-limit'];
    expect(names.map((name) => response.headers.get(name))).toEqual(['nosniff', 'close', undefined]);
    expect(await counted(expected)).toBe(before + 1);
    expect(trio(await service.request('/v1/pets')).remaining).toBe(299);
  });

  it('get one response, whatever comes after them', async () => {
    const before = await counted(400);
    expect((await refusal('GET /v1/pets HTTP/1.1\r\nHost x\r\n\r\n'.repeat(5_000))).status).toBe(400);
    expect(await counted(400)).toBe(before + 1);
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
});

it.each(['end', 'reset'])('CONNECT closes the connection, however the client leaves it: %s', async (how) => {
  const { socket, received, closed } = openRaw(service.port);
  socket.write('CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n');
  if (how === 'reset') socket.once('connect', () => socket.resetAndDestroy());
  await closed;
  expect(received()).toBe('');
  expect((await service.request('/v1/pets', { key })).status).toBe(200);
});

describe('an unusual but valid request', () => {
  const close = 'Connection: close\r\n';

  it.each([
    ['with 100 headers', () => `GET /v1/pets HTTP/1.1\r\n${auth}${close}${'a:b\r\n'.repeat(97)}\r\n`],
    ['with a target in absolute form', () => `GET http://elsewhere/v1/pets HTTP/1.1\r\n${auth}${close}\r\n`],
    ['with an expectation of its own', () => `GET /v1/pets HTTP/1.1\r\n${auth}${close}Expect: the-unexpected\r\n\r\n`],
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
    const { code } = await refusal(`GET http://elsewhere/v1/pets HTTP/1.1\r\nHost: x\r\n${close}\r\n`);
    expect(code).toBe('missing_api_key');
  });
});

it('too many connections are closed at once, and logged', async () => {
  const server = service.app.getHttpServer();
  const { maxConnections } = server;
  expect(maxConnections).toBe(5_000);
  const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  server.maxConnections = 0;
  const received = await sendRaw(service.port, request(''));
  server.maxConnections = maxConnections;
  expect(received).toBe('');
  expect(warn.mock.calls).toContainEqual([{ message: 'refused connection', reason: 'MAX_CONNECTIONS' }]);
  expect((await service.request('/v1/pets', { key })).status).toBe(200);
});

it('slow clients have 10 s for the headers and 30 s for the whole request, checked every second', () => {
  expect(createServer(loadEnv({})).server).toMatchObject({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 1_000,
  });
});

/** Fills what is left of 16 KiB between two texts with repetitions. */
const filled = (before: string, repeated: (index: number) => string, after: string) => {
  let body = before;
  for (let index = 0; body.length + repeated(index).length + after.length <= BODY_BYTES; index += 1)
    body += repeated(index);
  return body + after;
};

/**
 * Processor time that the event loop's thread spends on a request, which has to be refused, in milliseconds. Unlike time
 * on the clock, it is not longer on a machine that is busy with other things.
 */
async function processorMs(call: () => Promise<Response>): Promise<number> {
  const before = process.threadCpuUsage();
  const { status } = await errorOf(await call());
  const { user, system } = process.threadCpuUsage(before);
  if (status < 400 || status > 499) throw new Error(`The request was answered ${status}.`);
  return (user + system) / 1_000;
}

/** The first such time that is short enough; otherwise the last. */
async function quickestMs(call: () => Promise<Response>): Promise<number> {
  let ms = await processorMs(call);
  for (let attempt = 1; attempt < ATTEMPTS && ms >= LIMIT_MS; attempt += 1) ms = await processorMs(call);
  return ms;
}

describe('a hostile body is refused without blocking other requests', () => {
  it.each<[string, string]>([
    ['8,000 nested arrays', '['.repeat(BODY_BYTES / 2) + ']'.repeat(BODY_BYTES / 2)],
    ['8,000 nested arrays that never end', '['.repeat(BODY_BYTES)],
    ['2,000 nested objects', '{"a":'.repeat(2_700) + '1' + '}'.repeat(2_700)],
    ['objects nested just deeply enough to parse', `{"name":${'['.repeat(800)}${']'.repeat(800)},"categoryId":1}`],
    ['thousands of unknown keys', filled('{"name":"x"', (index) => `,"${index.toString(36)}":1`, '}')],
    ['one duplicate key over and over', filled('{"name":"x"', () => ',"a":1', '}')],
    ['a known key over and over', filled('{"categoryId":1.5', () => ',"categoryId":1.5', '}')],
    ['__proto__ over and over', filled('{"name":"x"', () => ',"__proto__":{}', '}')],
    ['16,000 digits', `{"name":"x","categoryId":${'9'.repeat(BODY_BYTES - 26)}}`],
    ['16,000 decimals', `{"name":"x","categoryId":1.${'0'.repeat(BODY_BYTES - 30)}1}`],
    ['16,000 zeros and an exponent', `{"name":"x","categoryId":1${'0'.repeat(BODY_BYTES - 40)}e-16000}`],
    ['thousands of large numbers', filled('{"name":[1', () => ',1e300', ']}')],
    ['an enormous exponent', '{"name":"x","categoryId":1e99999999}'],
    ['an enormous exponent below zero', '{"name":"x","categoryId":1e-99999999}'],
    ['a name of spaces', `{"name":"${' '.repeat(BODY_BYTES - 40)}","categoryId":1}`],
    ['a name of 510 spaces', `{"name":"${' '.repeat(510)}","categoryId":1}`],
    ['a name that makes expressions go back', `{"name":"${'x '.repeat(127)}\\u0001","categoryId":1}`],
    ['a name of combining marks', `{"name":"${'\u0301'.repeat(BODY_BYTES / 2 - 40)}","categoryId":1}`],
    ['a name of escapes', `{"name":"${'\\ud83d\\ude00'.repeat(1_300)}","categoryId":1}`],
    ['a status of 16 KiB', `{"name":"x","categoryId":1,"status":"${'a'.repeat(BODY_BYTES - 50)}"}`],
    ['a key of 16 KiB', `{"${'a'.repeat(BODY_BYTES - 10)}":1}`],
  ])('%s', async (_, body) => {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(BODY_BYTES);
    expect(await quickestMs(() => service.post('/v1/pets', key, body))).toBeLessThan(LIMIT_MS);
  });

  it('1 MB of it', async () => {
    expect(await quickestMs(() => service.post('/v1/pets', key, '{"a":'.repeat(200_000)))).toBeLessThan(LIMIT_MS);
  });
});

describe('a hostile target or header is refused without blocking other requests', () => {
  const LONG = 12_000;

  it.each<[string, string]>([
    ['thousands of query parameters', `/v1/pets?${'a&'.repeat(LONG / 2)}`],
    ['one parameter over and over', `/v1/pets?${'limit=1&'.repeat(LONG / 8)}`],
    ['a parameter of digits', `/v1/pets?after=${'9'.repeat(LONG)}`],
    ['an identifier of digits', `/v1/pets/${'9'.repeat(LONG)}`],
    ['percent signs', `/v1/pets/${'%'.repeat(LONG)}`],
    ['percent signs in the query', `/v1/pets?limit=${'%'.repeat(LONG)}`],
    ['slashes', `/v1/pets${'/'.repeat(LONG)}`],
    ['an encoded prefix over and over', `/v1${'%2Fv1'.repeat(LONG / 5)}`],
  ])('%s', async (_, path) => {
    expect(await quickestMs(() => service.request(path, { key }))).toBeLessThan(LIMIT_MS);
  });

  it.each<[string, Record<string, string>]>([
    ['a key of 12,000 characters', { Authorization: `Bearer psk_live_${'a'.repeat(LONG)}` }],
    ['a scheme and spaces', { Authorization: `Bearer${' '.repeat(LONG)}!` }],
    ['padding', { Authorization: `Bearer a${'='.repeat(LONG)}!` }],
    ['hops', { 'X-Forwarded-For': '1.2.3.4,'.repeat(LONG / 8) }],
    ['a media type', { 'Content-Type': `application/json${' '.repeat(LONG)}x` }],
    ['a request id', { 'X-Request-Id': 'a'.repeat(LONG) }],
  ])('%s', async (_, headers) => {
    expect(await quickestMs(() => service.request('/v1/pets', { headers }))).toBeLessThan(LIMIT_MS);
  });
});
