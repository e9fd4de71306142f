import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { sendRaw } from '../../../test/support/raw.js';
import { until } from '../../../test/support/until.js';
import { batchRequestsPerTick } from '../hooks/requests.js';
import { readInTurn } from './read-in-turn.js';

const context = new AsyncLocalStorage<string>();
let server: FastifyInstance;
let steps: string[];

beforeEach(async () => {
  steps = [];
  server = fastify({
    rewriteUrl: ({ url = '' }) => {
      steps.push(`read ${url}`);
      return url;
    },
  });
  const emit = server.server.emit.bind(server.server);
  // As tracing does it: each request has a context of its own.
  server.server.emit = (event: string, ...args: unknown[]) =>
    event === 'request'
      ? context.run((args[0] as { url: string }).url, () => emit(event, ...args))
      : emit(event, ...args);
  batchRequestsPerTick(server);
  server.get('/:name', ({ url }) => {
    steps.push(`answered ${url}`);
    return context.getStore();
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
});

afterEach(() => server.close());

describe('requests that arrive in one turn of the event loop', () => {
  it('are all read before the first response', async () => {
    await sendAtOnce('/a', '/b', '/c');
    expect(steps).toEqual(['read /a', 'read /b', 'read /c', 'answered /a', 'answered /b', 'answered /c']);
  });

  it('keep their own async contexts', async () => {
    expect(await sendAtOnce('/a', '/b', '/c')).toMatch(/\r\n\r\n\/a[^]*\r\n\r\n\/b[^]*\r\n\r\n\/c$/);
  });
});

it('requests that arrive in later turns get their responses too', async () => {
  await sendAtOnce('/a');
  await sendAtOnce('/b');
  expect(steps).toEqual(['read /a', 'answered /a', 'read /b', 'answered /b']);
});

class HeldSocket extends EventEmitter {
  readonly bytesRead = 0;
  readonly pause = () => (this.held = true);
  readonly resume = () => (this.held = false);
  readonly isPaused = () => this.held;
  private held = false;
}

it('connections that are not read for the moment are all read later, each in constant time', async () => {
  const shared = new EventEmitter();
  readInTurn(shared as Server);
  const sockets = Array.from({ length: 20_000 }, () => new HeldSocket());
  for (const socket of sockets) shared.emit('connection', socket);
  const reader = new HeldSocket();
  shared.emit('request', { socket: reader });
  const sinceMs = performance.now();
  // A turn that is too long.
  while (performance.now() - sinceMs < 30);
  shared.emit('request', { socket: reader });
  expect(sockets.every((socket) => socket.isPaused())).toBe(true);
  const start = process.threadCpuUsage();
  await until(() => !sockets.some((socket) => socket.isPaused()));
  // Time of the processor, which is not longer on a busy machine. A search for each would take seconds.
  expect(process.threadCpuUsage(start).user).toBeLessThan(1_000_000);
});

/** Sends requests in one packet, and gives all that is answered. */
function sendAtOnce(...paths: readonly string[]): Promise<string> {
  const requests = paths.map(
    (path, index) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\n${index === paths.length - 1 ? 'Connection: close\r\n' : ''}\r\n`,
  );
  return sendRaw((server.server.address() as AddressInfo).port, requests.join(''));
}
