import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { type RawResponse, rawResponses } from '../support/raw-responses.js';
import { sendRaw } from '../support/raw.js';
import { service, sharePreparedApp } from '../support/folders.js';

let key: string;
sharePreparedApp({}, async () => {
  key = await service.key({ plan: 'enterprise', perMinute: 1_000, perDay: 1_000 });
});

const request = (head: string, body = '') =>
  `${head} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${body.length}\r\n\r\n${body}`;

const LIST = 'GET /v1/pets';
const create = (name: string) => request('POST /v1/pets', JSON.stringify({ name, categoryId: 1 }));

/** The responses on a connection that only the service can end. */
const responsesTo = async (bytes: string): Promise<RawResponse[]> =>
  rawResponses(await sendRaw(service.port, bytes, 60_000));

describe('a pipelined request', () => {
  it.each([
    ['a request of the API', () => request(LIST)],
    ['a refused request', () => 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a page', () => 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'],
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

describe('a request after the response to the one before it', () => {
  it('is handled on the same connection', async () => {
    const socket = connect(service.port, '127.0.0.1').setEncoding('latin1');
    for (let n = 0; n < 3; n += 1) {
      socket.write(request(LIST));
      const [response] = rawResponses(((await once(socket, 'data')) as [string])[0]);
      expect([response?.status, response?.headers.get('connection')]).toEqual([200, 'keep-alive']);
    }
    socket.destroy();
  });
});

describe('a request to upgrade', () => {
  it('gets its response, and closes the connection, because bytes after it are lost', async () => {
    const upgrade = `${LIST} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`;
    const responses = await responsesTo(upgrade);
    expect(responses.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([[200, 'close']]);
  });
});
