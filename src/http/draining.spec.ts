import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { addDraining } from './draining.js';

let server: FastifyInstance;
let release: () => void;

beforeEach(async () => {
  server = fastify({ forceCloseConnections: 'idle', return503OnClosing: false });
  addDraining(server, () => false, 500);
  const released = new Promise<void>((resolve) => (release = resolve));
  server.get('/slow', async () => {
    await released;
    return 'done';
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => server.close());

/** A connection that has sent this much, and all that came back. */
async function send(bytes: string) {
  let received = '';
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('data', (chunk) => (received += String(chunk))).on('error', () => undefined);
  socket.write(bytes);
  await delay(50);
  return { received: () => received, closed: once(socket, 'close') };
}

describe('a server that closes', () => {
  it('answers what is under way, and ends the connection with it', async () => {
    const { received, closed } = await send('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    const closing = server.close();
    await delay(50);
    release();
    await Promise.all([closing, closed]);
    expect(received()).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*done$/i);
  });

  it('waits no longer than its deadline for half a request', async () => {
    const { closed } = await send('GET /slow HTTP/1.1\r\nHos');
    const startMs = performance.now();
    await Promise.all([server.close(), closed]);
    expect(performance.now() - startMs).toBeLessThan(2_000);
  });
});
