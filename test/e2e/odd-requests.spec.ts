import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApiExceptionFilter } from '../../src/http/errors/api-exception.filter.js';
import { startApp, type TestApp } from '../support/app.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { errorIn } from '../support/expectations.js';
import { endsOf, rawResponses, sendRaw } from '../support/raw.js';
import { RedisServer } from '../support/servers/redis-server.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';

const PET = '{"name":"x","categoryId":1}';

let auth: string;
sharePreparedApp({}, async () => {
  auth = `Authorization: Bearer ${await service.key()}\r\n`;
  await service.post('/v1/pets', await service.key(), PET);
});

/** Statuses and error codes of what comes back on a connection that is closed after it. */
async function outcomes(bytes: string): Promise<[number, string | undefined][]> {
  return rawResponses(await sendRaw(service.port, bytes.replace('\r\n', '\r\nConnection: close\r\n'))).map(
    ({ status, body }) => [status, status < 400 ? undefined : errorIn(body, status).code],
  );
}

const ends = async (bytes: string) => endsOf(rawResponses(await sendRaw(service.port, bytes)));

const post = (headers: string, body: string) =>
  `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${auth}Content-Type: application/json\r\n${headers}\r\n${body}`;

describe('a Host header', () => {
  it.each([
    ['missing', ''],
    ['twice', 'Host: x\r\nHost: x\r\n'],
    ['with a space', 'Host: a b\r\n'],
    ['with a path', 'Host: x/y\r\n'],
  ])('%s returns 400 to an admitted caller', async (_, host) => {
    expect(await outcomes(`GET /v1/pets HTTP/1.1\r\n${host}${auth}\r\n`)).toEqual([[400, 'validation_failed']]);
    expect(await outcomes(`GET /v1/pets HTTP/1.1\r\n${host}\r\n`)).toEqual([[401, 'missing_api_key']]);
  });

  it.each(['example.com', 'example.com:3000', '[::1]:3000', '127.0.0.1', ''])('like %j is accepted', async (host) => {
    expect(await outcomes(`GET /v1/pets?limit=1 HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\n`)).toEqual([[200, undefined]]);
  });

  it('is optional in HTTP/1.0', async () => {
    expect(await outcomes(`GET /v1/pets?limit=1 HTTP/1.0\r\n${auth}\r\n`)).toEqual([[200, undefined]]);
  });
});

it('a number sign in the target is part of the path, never the start of a query', async () => {
  expect(await outcomes(`GET /v1/pets/1#x HTTP/1.1\r\nHost: x\r\n${auth}\r\n`)).toEqual([[404, 'pet_not_found']]);
  expect(await outcomes(`GET /v1/pets#limit=1 HTTP/1.1\r\nHost: x\r\n${auth}\r\n`)).toEqual([[404, 'route_not_found']]);
  expect(await outcomes('GET /v1#x HTTP/1.1\r\nHost: x\r\n\r\n')).toEqual([[404, 'route_not_found']]);
});

describe('a body', () => {
  it('gets 100 Continue only if the service will read it', async () => {
    const expectation = `Expect: 100-continue\r\nContent-Length: ${PET.length}\r\n`;
    for (const text of [expectation, expectation.replace('100-continue', '100-Continue')])
      expect((await outcomes(post(text, PET))).map(([status]) => status)).toEqual([100, 201]);
    const stranger = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${expectation}\r\n`;
    expect((await outcomes(stranger)).map(([status]) => status)).toEqual([401]);
    const old = post(expectation, PET).replace('HTTP/1.1', 'HTTP/1.0');
    expect((await outcomes(old)).map(([status]) => status)).toEqual([201]);
    const large = post('Expect: 100-continue\r\nContent-Length: 20000\r\n', '');
    expect((await outcomes(large)).map(([status]) => status)).toEqual([413]);
  });

  it.each([
    ['a chunk size that is none', 'zz\r\nab\r\n0\r\n\r\n'],
    ['a chunk size below zero', '-1\r\nab\r\n'],
  ])('that ends early in %s gets an ordinary response', async (_, body) => {
    const bytes = post('X-Request-Id: me\r\nTransfer-Encoding: chunked\r\n', body);
    const [response] = rawResponses(await sendRaw(service.port, bytes));
    expect([response?.status, response?.headers.get('connection')]).toEqual([400, 'close']);
    expect(response?.headers.get('x-request-id')).toBe('me');
    expect(response?.headers.has('x-ratelimit-remaining')).toBe(true);
  });

  it.each([
    ['bytes', 16_000, 1, 201, undefined],
    ['bytes, of which there are too many', 20_000, 1, 413, 'payload_too_large'],
    ['pieces of 17 bytes, of which there are too many', 1_200, 17, 413, 'payload_too_large'],
  ])('in chunks is read: %s', async (_, count, size, status, code) => {
    const text = PET.padEnd(count * size, ' ');
    const chunk = (n: number) => `${size.toString(16)}\r\n${text.slice(n * size, (n + 1) * size)}\r\n`;
    const chunks = Array.from({ length: count }, (__, n) => chunk(n)).join('');
    expect(await outcomes(post('Transfer-Encoding: chunked\r\n', `${chunks}0\r\n\r\n`))).toEqual([[status, code]]);
  });
});

describe('a Content-Type header', () => {
  it.each(['application/json;', 'application/json ; ', 'application/json;;charset=utf-8;'])(
    'with empty parameters is accepted: %j',
    async (value) => {
      const bytes = post(`Content-Length: ${PET.length}\r\n`, PET).replace('application/json', value);
      expect(await outcomes(bytes)).toEqual([[201, undefined]]);
    },
  );

  it.each([
    ['another one', 'text/plain'],
    ['the same', 'application/json'],
    ['that of a patch', 'application/merge-patch+json'],
  ])('beside %s returns 400', async (_, second) => {
    const bytes = post(`Content-Type: ${second}\r\nContent-Length: ${PET.length}\r\n`, PET);
    expect(await outcomes(bytes)).toEqual([[400, 'validation_failed']]);
    expect(await outcomes(bytes.replace('POST /v1/pets', 'PATCH /v1/pets/1'))).toEqual([[400, 'validation_failed']]);
  });
});

describe('a transfer coding', () => {
  const chunks = `${PET.length.toString(16)}\r\n${PET}\r\n0\r\n\r\n`;
  const chunked = (value: string, version = '1.1') =>
    post(`Transfer-Encoding: ${value}\r\n`, chunks).replace('HTTP/1.1', `HTTP/${version}`);

  it.each(['chunked', 'Chunked', ' chunked '])('like %j is accepted', async (value) => {
    expect(await outcomes(chunked(value))).toEqual([[201, undefined]]);
  });

  it.each(['gzip, chunked', 'gzip,chunked', 'identity, chunked', 'gzip\r\nTransfer-Encoding: chunked'])(
    'that is not supported returns 501: %j',
    async (value) => {
      const report = jest.spyOn(service.app.get(ApiExceptionFilter), 'report');
      expect(await outcomes(chunked(value))).toEqual([[501, 'not_implemented']]);
      // It is a fault of the client, and no failure of the service.
      expect(report).not.toHaveBeenCalled();
      expect(await outcomes(chunked(value).replace(auth, ''))).toEqual([[401, 'missing_api_key']]);
    },
  );

  it.each(['gzip', 'chunked, gzip', 'identity'])(
    'that leaves the end of the body open returns 400 and closes the connection: %j',
    async (value) => {
      expect(await ends(chunked(value))).toEqual([[400, 'close']]);
    },
  );

  it('returns 400 in HTTP/1.0 and closes the connection', async () => {
    const keeping = chunked('chunked\r\nConnection: keep-alive', '1.0');
    for (const bytes of [chunked('chunked', '1.0'), keeping]) expect(await ends(bytes)).toEqual([[400, 'close']]);
    expect(await ends(keeping.replace(auth, ''))).toEqual([[401, 'close']]);
  });
});

describe('a client that half-closes the connection after its request', () => {
  it.each([
    ['GET', () => `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\n${auth}\r\n`, 200],
    ['POST', () => post(`Content-Length: ${PET.length}\r\n`, PET), 201],
  ])('gets the response to its %s before the connection closes', async (_, request, status) => {
    const [response] = rawResponses(await sendRaw(service.port, request(), 'end'));
    expect(response?.status).toBe(status);
  });
});

describeWithRedis('a body in two packets', () => {
  let server: RedisServer;
  let instance: TestApp;

  beforeAll(async () => {
    server = await RedisServer.start();
    instance = await startApp({ env: server.env });
  });
  afterAll(async () => {
    await instance.stop();
    await server.stop();
  });

  it('is read completely if its end arrives while Redis decides on the request', async () => {
    const key = await instance.key(AMPLE);
    const body = '{"name":"Bella","categoryId":12345}';
    const head = `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const statuses = new Set<string>();
    for (let n = 0; n < 36; n += 1) {
      const socket = connect({ port: instance.port, host: '127.0.0.1', noDelay: true });
      socket.write(head + body.slice(0, 20));
      for (let turns = 0; turns < n % 12; turns += 1) await nextTurn();
      socket.write(body.slice(20));
      const [response] = (await once(socket, 'data')) as [Buffer];
      statuses.add(response.toString('latin1').slice(0, 'HTTP/1.1 201'.length));
      socket.destroy();
    }
    expect([...statuses]).toEqual(['HTTP/1.1 201']);
  });
});
