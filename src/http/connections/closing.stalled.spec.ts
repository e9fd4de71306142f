import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listen } from '../../../test/support/listen.js';
import { closeStalledSockets, handleOneAtATime } from './closing.js';

const TIMEOUT_MS = 300;
/** A busy machine keeps a client from reading for seconds. What fails with the first of these is tried with the next. */
const PATIENCE_MS = [1_000, 6_000, 20_000];
/** More than the buffers of a connection hold. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, ' ');
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

let server: Server;
let port: number;
let handle: RequestListener;
let client: Socket;

async function serve(timeoutMs: number): Promise<void> {
  handle = (_request, response) => response.end(LARGE);
  server = createServer(handleOneAtATime((request, response) => handle(request, response)));
  closeStalledSockets(server, timeoutMs);
  port = await listen(server);
}

beforeEach(() => serve(TIMEOUT_MS));
afterEach(() => {
  client.destroy();
  server.close();
});

/** A client that has sent a request, and the other end of its connection. */
async function send(): Promise<Socket> {
  client = connect(port, '127.0.0.1');
  client.on('error', () => undefined).write(REQUEST);
  const [socket] = (await once(server, 'connection')) as [Socket];
  return socket;
}

/** Reads for longer than the timeout, a little at a time, then the rest. Returns the number of bytes. */
async function readSlowly(timeoutMs: number): Promise<number> {
  server.close();
  await serve(timeoutMs);
  const socket = await send();
  await once(client, 'readable');
  let received = 0;
  const endMs = performance.now() + 1.5 * timeoutMs;
  // Each read returns at most the socket's buffer of 64 KiB.
  for (; performance.now() < endMs; await delay(25)) received += ((client.read() as Buffer | null) ?? '').length;
  if (socket.destroyed) return received;
  expect(socket.writableLength).toBeGreaterThan(0);
  for await (const chunk of client) {
    received += (chunk as Buffer).length;
    if (received > LARGE.length) break;
  }
  return received;
}

describe('a client', () => {
  it('that does not read loses its connection', async () => {
    await once(await send(), 'close');
    expect(client.bytesRead).toBeLessThan(LARGE.length);
  });

  it('that does not read loses its connection even if it continues to send', async () => {
    const socket = await send();
    const timer = setInterval(() => client.write(REQUEST), TIMEOUT_MS / 5);
    await once(socket, 'close').finally(() => clearInterval(timer));
    expect(client.bytesRead).toBeLessThan(LARGE.length);
  });

  it('that reads slowly gets the response, however long it takes', async () => {
    let received = 0;
    for (const timeoutMs of PATIENCE_MS) if (received <= LARGE.length) received = await readSlowly(timeoutMs);
    expect(received).toBeGreaterThan(LARGE.length);
  });

  it('that waits for its response keeps its connection', async () => {
    handle = (_request, response) => void once(server, 'timeout').then(() => response.end('late'));
    await send();
    const [chunk] = (await once(client, 'data')) as [Buffer];
    expect(String(chunk)).toMatch(/^HTTP\/1\.1 200 [^]*late/);
  });
});
