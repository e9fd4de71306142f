import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { Registry } from '../../src/index.js';
import { trio } from '../support/app.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { endsOf, openRaw, type RawResponse, rawResponses, sendRaw } from '../support/raw.js';
import { until } from '../support/until.js';

const PET = '{"name":"x","categoryId":1}';
const LIST = 'GET /v1/pets';
/** Far beyond what the buffers of both sides hold. */
const FLOOD_BYTES = 64 * 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, ' ');
const LONG = `Content-Length: ${FLOOD_BYTES}\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const LARGE_CHUNK = `5000\r\n${' '.repeat(0x5000)}\r\n`;

let key: string;
let auth: string;
sharePreparedApp({ env: { KEEP_ALIVE_SECONDS: '7' } }, async () => {
  key = await service.key(AMPLE);
  auth = `Authorization: Bearer ${key}\r\n`;
});

const head = (line: string, headers: string) =>
  `${line} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n`;
const request = (line: string, body = '') => head(line, `${auth}Content-Length: ${body.length}\r\n`) + body;
const create = (name: string) => request('POST /v1/pets', JSON.stringify({ name, categoryId: 1 }));

/** The responses on a connection that only the service can end. */
const responsesTo = async (bytes: string): Promise<RawResponse[]> => rawResponses(await sendRaw(service.port, bytes));

/** A connection that stays half open when the service ends its side, until the service closes it. */
const open = () => openRaw(service.port, { noDelay: true, allowHalfOpen: true });

/** Sends bytes, and resets the connection when the service has begun to handle the request. */
async function sendAndReset(bytes: string): Promise<void> {
  const { socket } = open();
  socket.write(bytes);
  await once(service.app.getHttpServer(), 'request');
  socket.resetAndDestroy();
}

/** Sends a request on a connection that is gone before anything of the request is decided. */
async function sendAndVanish(bytes: string): Promise<void> {
  const server = service.app.getHttpServer();
  server.prependOnceListener('request', ({ socket }: { socket: { destroy(): void } }) => socket.destroy());
  const { socket, closed } = openRaw(service.port);
  socket.write(bytes);
  await closed;
}

/** The statuses of requests to the pets, or to no route, with their numbers. */
async function counted(route = '/v1/pets'): Promise<Record<string, number>> {
  const text = await service.app.get(Registry).metrics();
  const labels = `http_route="${route}",http_response_status_code="(\\d+)"`;
  const series = new RegExp(`^http_server_request_duration_seconds_count\\{.*${labels}\\} (\\d+)$`, 'gm');
  const counts: Record<string, number> = {};
  for (const [, status = '', count] of text.matchAll(series)) counts[status] = (counts[status] ?? 0) + Number(count);
  return counts;
}

describe('a connection', () => {
  it('is kept for the next request, for KEEP_ALIVE_SECONDS', async () => {
    const { socket, received } = open();
    for (let n = 0; n < 3; n += 1) {
      socket.write(request(LIST));
      await once(socket, 'data');
      const response = rawResponses(received())[n];
      expect([response?.status, response?.headers.get('connection')]).toEqual([200, 'keep-alive']);
      expect(response?.headers.get('keep-alive')).toBe('timeout=7');
    }
    socket.destroy();
    expect(service.app.getHttpServer()).toMatchObject({ keepAliveTimeout: 7_000 });
  });

  it('is closed if nothing is read of its response for 15 seconds', () => {
    // closing.stalled.spec.ts waits for less.
    expect(service.app.getHttpServer()).toMatchObject({ timeout: 15_001 });
  });
});

describe('a pipelined request', () => {
  it.each([
    ['a request of the API', () => request(LIST)],
    ['a refused request', () => 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a page', () => 'GET /docs/assets/current/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a large number of requests', () => request(LIST).repeat(3_000)],
  ])('closes the connection after the response before it: %s', async (_, bytes) => {
    const responses = await responsesTo(bytes() + request(LIST));
    expect(responses.map(({ headers }) => headers.get('connection'))).toEqual(['close']);
  });

  it.each([
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n'],
    ['an Upgrade', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['garbage', '\x00\x01\r\n\r\n'],
  ])('leaves the response before it whole: %s', async (_, bytes) => {
    const [created, ...others] = await responsesTo(create('kept') + bytes);
    expect([created?.status, created?.headers.get('connection'), others]).toEqual([201, 'close', []]);
    const { id } = JSON.parse(created?.body ?? '') as { id: number };
    expect((await service.request(`/v1/pets/${id}`, { key, method: 'DELETE' })).status).toBe(204);
  });

  it('is not handled, and uses no quota', async () => {
    const left = Number((await responsesTo(request(LIST).repeat(2)))[0]?.headers.get('x-ratelimit-remaining'));
    const [created, ...others] = await responsesTo(create('first') + create('second'));
    expect([created?.status, others]).toEqual([201, []]);
    const list = await service.request('/v1/pets', { key });
    expect((await list.json()) as object[]).toMatchObject([{ name: 'first' }]);
    expect(Number(list.headers.get('x-ratelimit-remaining'))).toBe(left - 2);
  });
});

it('a request to upgrade gets its response, and closes the connection, because bytes after it are lost', async () => {
  const responses = await responsesTo(head(LIST, `${auth}Connection: Upgrade\r\nUpgrade: h2c\r\n`));
  expect(endsOf(responses)).toEqual([[200, 'close']]);
});

describe('a response before the request is complete', () => {
  it.each<[string, number, () => string]>([
    ['without a key', 401, () => head('POST /v1/pets', LONG)],
    ['with a body that is too large', 413, () => head('POST /v1/pets', auth + LONG)],
    ['with chunks that are too large', 413, () => head('POST /v1/pets', auth + CHUNKED) + LARGE_CHUNK],
    ['where nothing is', 404, () => head('POST /v1/nothing', auth + LONG)],
    ['for a method that the path lacks', 405, () => head('PUT /v1/pets', auth + CHUNKED)],
    ['of a media type that is not accepted', 415, () => `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${auth}${LONG}\r\n`],
    ['that needs no body', 200, () => head('GET /v1/pets', auth + LONG)],
    ['outside the versioned API', 404, () => head('POST /nothing', LONG)],
  ])('closes the connection: %s', async (_, status, bytes) => {
    expect(endsOf(await responsesTo(bytes()))).toEqual([[status, 'close']]);
  });

  it.each<[string, number, () => string]>([
    ['without a key', 401, () => head('POST /v1/pets', CHUNKED)],
    ['where nothing is', 404, () => head('POST /v1/nothing', auth + CHUNKED)],
    ['that needs no body', 200, () => head('GET /v1/pets', auth + CHUNKED)],
  ])('is the only one, whatever the rest of the body: %s', async (_, status, bytes) => {
    const { socket, received, closed } = open();
    socket.write(bytes());
    await once(socket, 'data');
    socket.write('no chunk size\r\n');
    socket.end('GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n');
    await closed;
    expect(rawResponses(received()).map((response) => response.status)).toEqual([status]);
  });

  it('arrives at a client that sends a megabyte before it reads', async () => {
    const { socket, received, closed } = open();
    socket.pause();
    socket.write(head('POST /v1/pets', `Content-Length: 1000000\r\n`));
    await new Promise((resolve) => socket.write(Buffer.alloc(1_000_000, ' '), resolve));
    socket.end();
    socket.resume();
    await closed;
    expect(rawResponses(received()).map(({ status }) => status)).toEqual([401]);
  });

  it('leaves most of a flood unread, and closes the connection', async () => {
    const { socket, received, closed } = open();
    socket.write(head('POST /v1/pets', LONG));
    let takenBytes = 0;
    for (let n = 0; n < FLOOD_BYTES / PIECE.length; n += 1) {
      socket.write(PIECE, (error) => (takenBytes += error == null ? PIECE.length : 0));
    }
    await closed;
    expect(takenBytes).toBeLessThan(FLOOD_BYTES / 2);
    expect(rawResponses(received()).map(({ status }) => status)).toEqual([401]);
  });
});

it.each<[string, number, () => string]>([
  ['without a key', 401, () => head('POST /v1/pets', `Content-Length: ${PET.length}\r\n`) + PET],
  ['that created something', 201, () => head('POST /v1/pets', `${auth}Content-Length: ${PET.length}\r\n`) + PET],
  ['to chunks', 401, () => `${head('POST /v1/pets', CHUNKED)}1\r\n{\r\n0\r\n\r\n`],
  ['without a body', 401, () => head('POST /v1/pets', 'Content-Length: 0\r\n')],
])('a response after the request is complete keeps the connection: %s', async (_, status, bytes) => {
  const { socket, received } = open();
  for (let count = 1; count <= 2; count += 1) {
    socket.write(bytes());
    await once(socket, 'data');
  }
  socket.destroy();
  expect(endsOf(rawResponses(received()))).toEqual([1, 2].map(() => [status, 'keep-alive']));
});

const remaining = async () => Number(trio(await service.request('/v1/pets', { key })).remaining);

describe('a client that is gone', () => {
  let before: Record<string, number>;
  /** How many more requests to the pets have had this status. */
  const more = async (status: number, route = '/v1/pets') =>
    ((await counted(route))[status] ?? 0) - (before[status] ?? 0);

  it.each<[string, () => Promise<void>]>([
    ['before its request is admitted', () => sendAndVanish(head(LIST, auth))],
    [
      'before its body is complete',
      () => sendAndReset(`${head('POST /v1/pets', `${auth}Content-Length: 27\r\n`)}{"name"`),
    ],
  ])('%s is counted as 499, and uses its quota', async (_, send) => {
    const left = await remaining();
    before = await counted();
    await send();
    await until(async () => (await more(499)) === 1);
    expect(await remaining()).toBe(left - 2);
    expect([await more(200), await more(499)]).toEqual([1, 1]);
  });

  it('without a key is counted as 401', async () => {
    before = await counted('unmatched');
    await sendAndVanish(head(LIST, ''));
    await until(async () => (await more(401, 'unmatched')) === 1);
    expect(await more(499, 'unmatched')).toBe(0);
  });
});
