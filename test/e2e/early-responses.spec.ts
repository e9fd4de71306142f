import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { service, shareApp } from '../support/folders.js';
import { rawResponses } from '../support/raw-responses.js';
import { sendRaw } from '../support/raw.js';

const PET = '{"name":"x","categoryId":1}';
/** Far beyond what the buffers of both sides hold. */
const FLOOD_BYTES = 64 * 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, ' ');

let auth: string;

shareApp();
beforeAll(async () => {
  auth = `Authorization: Bearer ${await service.key()}\r\n`;
});

const head = (line: string, headers: string) =>
  `${line} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n`;
const LONG = `Content-Length: ${FLOOD_BYTES}\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';

/** Status and Connection of each response on a connection of its own, which the service has to end. */
async function ended(bytes: string): Promise<[number, string | undefined][]> {
  const received = await sendRaw(service.port, bytes, 60_000);
  return rawResponses(received).map(({ status, headers }) => [status, headers.get('connection')]);
}

describe('a response before the request is complete', () => {
  it.each<[string, number, () => string]>([
    ['without a key', 401, () => head('POST /v1/pets', LONG)],
    ['with a body that is too large', 413, () => head('POST /v1/pets', auth + LONG)],
    ['where nothing is', 404, () => head('POST /v1/nothing', auth + LONG)],
    ['for a method that the path lacks', 405, () => head('PUT /v1/pets', auth + CHUNKED)],
    ['of a media type that is not accepted', 415, () => `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${auth}${LONG}\r\n`],
    ['that needs no body', 200, () => head('GET /v1/pets', auth + LONG)],
    ['outside the versioned API', 404, () => head('POST /nothing', LONG)],
  ])('closes the connection: %s', async (_, status, bytes) => {
    expect(await ended(bytes())).toEqual([[status, 'close']]);
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
    await delay(20);
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

  it('leaves most of a flood unread, and closes the connection before the request timeout', async () => {
    const { socket, received, closed } = open();
    const startMs = performance.now();
    socket.write(head('POST /v1/pets', LONG));
    let takenBytes = 0;
    for (let n = 0; n < FLOOD_BYTES / PIECE.length; n += 1) {
      socket.write(PIECE, (error) => (takenBytes += error == null ? PIECE.length : 0));
    }
    await closed;
    expect(performance.now() - startMs).toBeLessThan(20_000);
    expect(takenBytes).toBeLessThan(FLOOD_BYTES / 2);
    expect(rawResponses(received()).map(({ status }) => status)).toEqual([401]);
  });
});

describe('a response after the request is complete', () => {
  it.each<[string, number, () => string]>([
    ['without a key', 401, () => head('POST /v1/pets', `Content-Length: ${PET.length}\r\n`) + PET],
    ['that created something', 201, () => head('POST /v1/pets', `${auth}Content-Length: ${PET.length}\r\n`) + PET],
    ['to chunks', 401, () => `${head('POST /v1/pets', CHUNKED)}1\r\n{\r\n0\r\n\r\n`],
    ['without a body', 401, () => head('POST /v1/pets', 'Content-Length: 0\r\n')],
  ])('keeps the connection: %s', async (_, status, bytes) => {
    const { socket, received } = open();
    for (let count = 1; count <= 2; count += 1) {
      socket.write(bytes());
      await once(socket, 'data');
    }
    socket.destroy();
    expect(rawResponses(received()).map((response) => [response.status, response.headers.get('connection')])).toEqual([
      [status, 'keep-alive'],
      [status, 'keep-alive'],
    ]);
  });
});

/** A connection that stays half open when the service ends its side, until the service closes it. */
function open() {
  const socket = connect({ port: service.port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => {});
  return {
    socket,
    /** What has come so far. */
    received: () => Buffer.concat(chunks).toString('latin1'),
    closed: new Promise((resolve) => socket.once('close', resolve)),
  };
}
