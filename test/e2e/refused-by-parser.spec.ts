import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from '../../src/index.js';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { errorIn } from '../support/expectations.js';
import { ask } from '../support/http.js';
import { type RawResponse, rawResponses } from '../support/raw-responses.js';
import { sendRaw } from '../support/raw.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const LARGE = 'x'.repeat(20_000);

let service: TestApp;

beforeEach(async () => {
  service = await startApp({ clock: new FakeClock() });
});
afterEach(() => service.stop());

/** The only response. */
async function refusal(bytes: string): Promise<RawResponse & { code: string }> {
  const [response, ...others] = rawResponses(await sendRaw(service.port, bytes, 60_000));
  expect(others).toEqual([]);
  if (response === undefined) throw new Error('There is no response.');
  return { ...response, code: errorIn(response.body, response.status).code };
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

describe('bytes that are not a request', () => {
  it.each<[string, number, string, string]>([
    ['an unknown method', 400, 'validation_failed', 'BREW /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a method of RTSP', 400, 'validation_failed', 'DESCRIBE /v1/pets RTSP/1.0\r\n\r\n'],
    ['a broken header', 400, 'validation_failed', 'GET /v1/pets HTTP/1.1\r\nHost x\r\n\r\n'],
    ['HTTP/2.0', 400, 'validation_failed', 'GET /v1/pets HTTP/2.0\r\nHost: x\r\n\r\n'],
    ['HTTP/0.9', 400, 'validation_failed', 'GET /v1/pets HTTP/0.9\r\nHost: x\r\n\r\n'],
    ['large headers', 431, 'headers_too_large', request(`X-Large: ${LARGE}\r\n`)],
    ['a large target', 431, 'headers_too_large', `GET /v1/${LARGE} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['101 headers', 431, 'headers_too_large', request('a:b\r\n'.repeat(100))],
    ['3,000 headers', 431, 'headers_too_large', request('a:b\r\n'.repeat(2_999))],
  ])('get an Error, use no quota, and close the connection: %s', async (_, status, code, bytes) => {
    const before = await counted(status);
    const response = await refusal(bytes);
    expect([response.status, response.code]).toEqual([status, code]);
    expect(response.headers.get('x-request-id')).toMatch(UUID);
    expect(Math.abs(Date.parse(response.headers.get('date') ?? '') - Date.now())).toBeLessThan(5_000);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('connection')).toBe('close');
    expect(response.headers.has('x-ratelimit-limit')).toBe(false);
    expect(await counted(status)).toBe(before + 1);
    expect(trio(await ask(service.port, { path: '/v1/pets' })).remaining).toBe(299);
  });

  it('get 408 if no headers arrive in time', async () => {
    Object.assign(service.app.getHttpServer(), { headersTimeout: 100 });
    for (const response of await Promise.all(['GET /v1/pets HTTP/1.1\r\nHost: x', ''].map(refusal))) {
      expect([response.status, response.code]).toEqual([408, 'request_timeout']);
      expect(response.headers.get('x-request-id')).toMatch(UUID);
    }
  });

  it('get one response, whatever comes after them', async () => {
    expect((await refusal('GET /v1/pets HTTP/1.1\r\nHost x\r\n\r\n'.repeat(5_000))).status).toBe(400);
    expect(await counted(400)).toBe(1);
  });
});

describe('a request with 100 headers', () => {
  it('is handled', async () => {
    const key = await service.key();
    const headers = `Authorization: Bearer ${key}\r\nConnection: close\r\n${'a:b\r\n'.repeat(97)}`;
    expect(rawResponses(await sendRaw(service.port, request(headers)))).toMatchObject([{ status: 200 }]);
  });
});

describe('too many connections', () => {
  it('are closed at once', async () => {
    service.app.getHttpServer().maxConnections = 0;
    expect(await sendRaw(service.port, request(''), 60_000)).toBe('');
  });
});
