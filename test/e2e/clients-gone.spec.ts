import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from '../../src/index.js';
import { startApp, type TestApp, trio } from '../support/app.js';
import { until } from '../support/until.js';

let service: TestApp;
let key: string;

beforeEach(async () => {
  service = await startApp();
  key = await service.key();
});
afterEach(() => service.stop());

/** Sends bytes, and resets the connection when the service has begun to handle the request. */
async function sendAndReset(bytes: string): Promise<void> {
  const socket = connect({ port: service.port, host: '127.0.0.1', noDelay: true });
  socket.write(bytes);
  await once(service.app.getHttpServer(), 'request');
  socket.resetAndDestroy();
}

/** Sends a request on a connection that is gone before anything of the request is decided. */
async function sendAndVanish(bytes: string): Promise<void> {
  const server = service.app.getHttpServer();
  server.prependOnceListener('request', ({ socket }: { socket: { destroy(): void } }) => socket.destroy());
  const socket = connect({ port: service.port, host: '127.0.0.1' });
  socket.on('error', () => undefined).write(bytes);
  await once(socket, 'close');
}

/** The statuses of requests to the pets, or to no route, with their numbers. */
async function counted(route = '/v1/pets'): Promise<Record<string, number>> {
  const text = await service.app.get(Registry).metrics();
  const lines = text.matchAll(
    new RegExp(
      `^http_server_request_duration_seconds_count\\{.*http_route="${route}",http_response_status_code="(\\d+)"\\} (\\d+)$`,
      'gm',
    ),
  );
  return Object.fromEntries([...lines].map(([, status = '', count]) => [status, Number(count)]));
}

const remaining = async () => Number(trio(await service.request('/v1/pets', { key })).remaining);
const half = (authorization: string) =>
  `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: application/json\r\nContent-Length: 27\r\n\r\n{"name"`;

describe('a client that is gone', () => {
  it('before its request is admitted is counted as 499, and uses its quota', async () => {
    const before = await remaining();
    await sendAndVanish(`GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    await until(async () => (await counted())['499'] === 1);
    expect(await remaining()).toBe(before - 2);
    expect(await counted()).toEqual({ 200: 2, 499: 1 });
  });

  it('without a key is counted as 401', async () => {
    await sendAndVanish('GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(async () => (await counted('unmatched'))['401'] === 1);
    expect(await counted('unmatched')).toEqual({ 401: 1 });
  });

  it('before its body is complete is counted as 499, and uses its quota', async () => {
    const before = await remaining();
    await sendAndReset(half(`Authorization: Bearer ${key}\r\n`));
    await until(async () => (await counted())['499'] === 1);
    expect(await remaining()).toBe(before - 2);
    expect(await counted()).toEqual({ 200: 2, 499: 1 });
  });
});

describe('an idle connection', () => {
  it('is closed after KEEP_ALIVE_SECONDS, as the response says', async () => {
    const brief = await startApp({ env: { KEEP_ALIVE_SECONDS: '1' } });
    const socket = connect({ port: brief.port, host: '127.0.0.1' });
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'end');
    socket.destroy();
    await brief.stop();
    expect(text).toMatch(/^keep-alive: timeout=1\r$/im);
  });
});
