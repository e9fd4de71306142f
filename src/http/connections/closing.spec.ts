import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { closeConnections, drainConnections } from './closing.js';

let server: FastifyInstance;
/** Of /slow. */
let handling: Promise<unknown>;

beforeEach(async () => {
  server = fastify({ forceCloseConnections: 'idle', return503OnClosing: false });
  closeConnections(server, { isEnding: false }, 500);
  const { promise, resolve: begin } = Promise.withResolvers<void>();
  handling = promise;
  server.get('/slow', async () => {
    begin();
    return new Promise(() => undefined);
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => server.close());

/** A connection that has sent this much. */
async function send(bytes: string) {
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  socket.resume().on('error', () => undefined);
  await once(server.server, 'connection');
  socket.write(bytes);
  return { closed: once(socket, 'close') };
}

describe('a server that closes', () => {
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
