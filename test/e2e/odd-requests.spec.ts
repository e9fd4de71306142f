import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { errorIn } from '../support/expectations.js';
import { rawAnswers } from '../support/raw-answers.js';
import { sendRaw } from '../support/raw.js';

const PET = '{"name":"x","categoryId":1}';

let service: TestApp;
let auth: string;

beforeAll(async () => {
  service = await startApp();
  auth = `Authorization: Bearer ${await service.key()}\r\n`;
  await service.post('/v1/pets', await service.key(), PET);
});
afterAll(() => service.stop());

/** Statuses and error codes of what comes back. */
async function outcomes(bytes: string): Promise<[number, string | undefined][]> {
  return rawAnswers(await sendRaw(service.port, bytes)).map(({ status, body }) => [status, status < 400 ? undefined : errorIn(body, status).code]);
}

const post = (headers: string, body: string) => `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${auth}Content-Type: application/json\r\n${headers}\r\n${body}`;

describe('a Host header', () => {
  it.each([
    ['missing', ''],
    ['twice', 'Host: x\r\nHost: x\r\n'],
    ['with a space', 'Host: a b\r\n'],
    ['with a path', 'Host: x/y\r\n'],
  ])('%s is 400, of a caller who is admitted', async (_, host) => {
    expect(await outcomes(`GET /v1/pets HTTP/1.1\r\n${host}${auth}\r\n`)).toEqual([[400, 'validation_failed']]);
    expect(await outcomes(`GET /v1/pets HTTP/1.1\r\n${host}\r\n`)).toEqual([[401, 'missing_api_key']]);
  });

  it.each(['example.com', 'example.com:3000', '[::1]:3000', '127.0.0.1', ''])('like %j is fine', async (host) => {
    expect(await outcomes(`GET /v1/pets?limit=1 HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\n`)).toEqual([[200, undefined]]);
  });

  it('is not needed in HTTP/1.0', async () => {
    expect(await outcomes(`GET /v1/pets?limit=1 HTTP/1.0\r\n${auth}\r\n`)).toEqual([[200, undefined]]);
  });
});

describe('a number sign in the target', () => {
  it('is part of the path, never the start of a query', async () => {
    expect(await outcomes(`GET /v1/pets/1#x HTTP/1.1\r\nHost: x\r\n${auth}\r\n`)).toEqual([[404, 'pet_not_found']]);
    expect(await outcomes(`GET /v1/pets#limit=1 HTTP/1.1\r\nHost: x\r\n${auth}\r\n`)).toEqual([[404, 'route_not_found']]);
    expect(await outcomes('GET /v1#x HTTP/1.1\r\nHost: x\r\n\r\n')).toEqual([[404, 'route_not_found']]);
  });
});

describe('a body', () => {
  it('is asked for with 100 Continue only when it is going to be read', async () => {
    const expectation = `Expect: 100-continue\r\nContent-Length: ${PET.length}\r\n`;
    expect((await outcomes(post(expectation, PET))).map(([status]) => status)).toEqual([100, 201]);
    const stranger = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${expectation}\r\n`;
    expect((await outcomes(stranger)).map(([status]) => status)).toEqual([401]);
    expect((await outcomes(post('Expect: 100-continue\r\nContent-Length: 20000\r\n', ''))).map(([status]) => status)).toEqual([413]);
  });

  it.each([
    ['a chunk size that is none', 'zz\r\nab\r\n0\r\n\r\n', 400],
    ['a chunk size below zero', '-1\r\nab\r\n', 400],
  ])('that breaks off in %s is answered like any other request of the caller', async (_, body, status) => {
    const [answer] = rawAnswers(await sendRaw(service.port, post('X-Request-Id: me\r\nTransfer-Encoding: chunked\r\n', body)));
    expect([answer?.status, answer?.headers.get('x-request-id'), answer?.headers.get('connection')]).toEqual([status, 'me', 'close']);
    expect(answer?.headers.has('x-ratelimit-remaining')).toBe(true);
  });

  it('in thousands of tiny chunks is refused before they cost much', async () => {
    const chunks = [...PET.padEnd(16_000, ' ')].map((character) => `1\r\n${character}\r\n`).join('');
    expect(await outcomes(post('Transfer-Encoding: chunked\r\n', `${chunks}0\r\n\r\n`))).toEqual([[413, 'payload_too_large']]);
  });
});

describe('a client that closes its side after the request', () => {
  it.each([
    ['GET', () => `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\n${auth}\r\n`, 200],
    ['POST', () => post(`Content-Length: ${PET.length}\r\n`, PET), 201],
  ])('gets the answer to its %s, and then the end of the connection', async (_, request, status) => {
    // Longer than a test may take: only the end of the connection ends it.
    const [answer] = rawAnswers(await sendRaw(service.port, request(), 60_000, 'end'));
    expect(answer?.status).toBe(status);
  });
});

describe('an API key where none belongs', () => {
  it('is not taken as request id', async () => {
    const answer = await service.request('/v1/pets', { headers: { 'X-Request-Id': 'psk_live_0123' } });
    expect(answer.headers.get('x-request-id')).not.toContain('psk_');
  });
});
