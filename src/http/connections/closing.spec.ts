import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { until } from '../../../test/support/until.js';
import { closeConnections, drainConnections } from './closing.js';

let server: FastifyInstance;
let release: () => void;
/** Of /slow. */
let handling: Promise<unknown>;

beforeEach(async () => {
  server = fastify({ forceCloseConnections: 'idle', return503OnClosing: false });
  const closeIfLast = closeConnections(server, { isEnding: false }, 500);
  server.addHook('onSend', async (request, reply, payload) => closeIfLast(request, reply, payload));
  const released = new Promise<void>((resolve) => (release = resolve));
  const { promise, resolve: begin } = Promise.withResolvers<void>();
  handling = promise;
  server.get('/slow', async () => {
    begin();
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
  await once(server.server, 'connection');
  socket.write(bytes);
  return { received: () => received, closed: once(socket, 'close') };
}

describe('a server that closes', () => {
  it('responds to the requests in progress, and then closes their connections', async () => {
    const { received, closed } = await send('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await handling;
    const closing = server.close();
    await until(() => !server.server.listening);
    release();
    await Promise.all([closing, closed]);
    expect(received()).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*done$/i);
  });

  it('cuts off a response that does not end when it is drained, before it returns', async () => {
    const { closed } = await send('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await handling;
    await drainConnections(server, 200);
    await closed;
    expect(server.server.listening).toBe(false);
  });

  it('waits for an incomplete request until its deadline only', async () => {
    const { closed } = await send('GET /slow HTTP/1.1\r\nHos');
    await Promise.all([server.close(), closed]);
    expect(server.server.listening).toBe(false);
  });
});
