import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { errorIn } from '../support/expectations.js';
import { ask } from '../support/http.js';
import { type RawResponse, rawResponses } from '../support/raw-responses.js';
import { sendRaw } from '../support/raw.js';
import { RedisServer } from '../../src/testing/redis-server.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const LARGE = 'x'.repeat(20_000);

let service: TestApp;

async function start(env: Record<string, string> = {}): Promise<void> {
  service = await startApp({
    clock: new FakeClock(),
    env: { ANONYMOUS_PER_MINUTE: '5', ANONYMOUS_PER_DAY: '100', ...env },
  });
}

/** The only response. */
async function refusal(bytes: string): Promise<RawResponse & { code: string }> {
  const [response, ...others] = rawResponses(await sendRaw(service.port, bytes));
  expect(others).toEqual([]);
  if (response === undefined) throw new Error('There is no response.');
  return { ...response, code: errorIn(response.body, response.status).code };
}

const remaining = ({ headers }: RawResponse) => headers.get('x-ratelimit-remaining');

/** Of a metric of what the parser refused. */
async function counted(status: number): Promise<number> {
  const text = await (await service.request('/metrics')).text();
  const line = new RegExp(
    `^http_request_duration_seconds_count\\{method="_OTHER",route="unmatched",status="${status}"\\} (\\d+)$`,
    'm',
  ).exec(text);
  return Number(line?.[1] ?? 0);
}

describe('a request that the HTTP parser refuses', () => {
  beforeEach(() => start());
  afterEach(() => service.stop());

  it.each<[string, number, string, string]>([
    ['an unknown method', 501, 'not_implemented', 'BREW /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a known method in lower case', 501, 'not_implemented', 'get /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a broken header', 400, 'validation_failed', 'GET /v1/pets HTTP/1.1\r\nHost x\r\n\r\n'],
    ['an absolute target', 400, 'validation_failed', 'GET http://x/v1/pets HTTP/1.1\r\nHost x\r\n\r\n'],
    ['a target that is encoded', 400, 'validation_failed', 'GET /%761/pets HTTP/1.1\r\nHost x\r\n\r\n'],
    ['another protocol version', 400, 'validation_failed', 'GET /v1/pets HTTP/3.0\r\nHost: x\r\n\r\n'],
    ['large headers', 431, 'headers_too_large', `GET /v1/pets HTTP/1.1\r\nHost: x\r\nX-Large: ${LARGE}\r\n\r\n`],
    ['a large target', 431, 'headers_too_large', `GET /v1/${LARGE} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('under /v1 uses the quota of the address, and has the usual headers: %s', async (_, status, code, bytes) => {
    const before = await counted(status);
    const response = await refusal(bytes);
    expect([response.status, response.code]).toEqual([status, code]);
    expect(response.headers.get('x-request-id')).toMatch(UUID);
    expect(Math.abs(Date.parse(response.headers.get('date') ?? '') - Date.now())).toBeLessThan(5_000);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('x-ratelimit-limit')).toBe('5');
    expect(remaining(response)).toBe('4');
    expect(await counted(status)).toBe(before + 1);
    expect(trio(await ask(service.port, { path: '/v1/pets' })).remaining).toBe(3);
  });

  it('elsewhere uses no quota, and has no rate-limit headers', async () => {
    const responses = [
      await refusal('BREW /health/live HTTP/1.1\r\nHost: x\r\n\r\n'),
      await refusal('GET /v10/pets HTTP/1.1\r\nHost x\r\n\r\n'),
      await refusal('BREW coffee HTTP/1.1\r\nHost: x\r\n\r\n'),
      await refusal('\x00 /v1/pets HTTP/1.1\r\n\r\n'),
    ];
    expect(responses.map(({ status }) => status)).toEqual([501, 400, 400, 400]);
    for (const { headers } of responses) {
      expect(headers.has('x-ratelimit-limit')).toBe(false);
      expect(headers.get('x-request-id')).toMatch(UUID);
      expect(headers.has('date')).toBe(true);
    }
    expect(trio(await ask(service.port, { path: '/v1/pets' })).remaining).toBe(4);
  });

  it('counts as one under /v1 if its request line came in an earlier packet', async () => {
    const socket = connect({ port: service.port, host: '127.0.0.1', noDelay: true });
    const received = new Promise<string>((resolve) =>
      socket.once('data', (bytes) => resolve(bytes.toString('latin1'))),
    );
    socket.write('GET /v1/pets HTTP/1.1\r\n');
    await delay(50);
    socket.write('Host x\r\n\r\n');
    const [response] = rawResponses(await received);
    socket.destroy();
    expect([response?.status, response && remaining(response)]).toEqual([400, '4']);
  });

  it('returns 429 after the quota of the address is exhausted', async () => {
    for (let n = 0; n < 5; n += 1) await refusal('BREW /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n');
    const response = await refusal('BREW /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n');
    expect([response.status, response.code, remaining(response)]).toEqual([429, 'rate_limit_exceeded', '0']);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('returns 408 if its headers do not arrive in time', async () => {
    Object.assign(service.app.getHttpServer(), { headersTimeout: 100 });
    // Of what never began, nobody can tell where it belongs.
    const [half, nothing] = await Promise.all(['GET /v1/pets HTTP/1.1\r\nHost: x', ''].map(refusal));
    expect([half?.status, half?.code, half && remaining(half)]).toEqual([408, 'request_timeout', '4']);
    expect([nothing?.status, nothing?.headers.has('x-ratelimit-limit')]).toEqual([408, false]);
    for (const response of [half, nothing]) expect(response?.headers.get('x-request-id')).toMatch(UUID);
  });

  it('gets one response, whatever comes after it', async () => {
    const line = 'GET /v1/pets HTTP/1.1\r\nHost x\r\n\r\n';
    expect((await refusal(line.repeat(5_000))).status).toBe(400);
    expect(trio(await ask(service.port, { path: '/v1/pets' })).remaining).toBe(3);
  });
});

describeWithRedis('with counters in Redis', () => {
  let server: RedisServer;

  beforeEach(async () => {
    server = await RedisServer.start();
    await start(server.env);
  });
  afterEach(async () => {
    await service.stop();
    await server.stop();
  });

  it('a request that the parser refuses uses the quota in Redis', async () => {
    const seen: (string | undefined)[] = [];
    for (let n = 0; n < 3; n += 1) seen.push(remaining(await refusal('BREW /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n')));
    expect(seen).toEqual(['4', '3', '2']);
  });
});
