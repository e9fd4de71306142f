import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { sendRaw } from '../support/raw.js';
import { rawResponses } from '../support/raw-responses.js';
import { until } from '../support/until.js';

let service: TestApp;
let key: string;

beforeAll(async () => {
  service = await startApp();
  key = await service.key({ plan: 'enterprise', perMinute: 100_000, perDay: 100_000 });
});
afterAll(() => service.stop());

const request = (id: number, head: string, body = '') =>
  `${head} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nX-Request-Id: ${id}\r\nX-Filler: ${'x'.repeat(1_000)}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

const times = (count: number, make: (id: number) => string) =>
  Array.from({ length: count }, (_, id) => make(id)).join('');

const openConnections = (): Promise<number> =>
  promisify(service.app.getHttpServer().getConnections.bind(service.app.getHttpServer()))();

const create = (id: number) => request(id, 'POST /v1/pets', `{"name":"pet ${id}","categoryId":1}`);
const list = (id: number) => request(id, 'GET /v1/pets?limit=100');

describe('pipelined requests', () => {
  it('get all responses in their order, even if they arrive in many pieces', async () => {
    const responses = rawResponses(
      await sendRaw(
        service.port,
        times(200, (id) => request(id, 'GET /v1/pets')),
      ),
    );
    expect(responses.map(({ status, headers }) => [status, headers.get('x-request-id')])).toEqual(
      Array.from({ length: 200 }, (_, id) => [200, String(id)]),
    );
  });

  it('run one after the other, so each sees the effects of those before it', async () => {
    const responses = rawResponses(
      await sendRaw(
        service.port,
        times(20, (id) => create(id) + list(id)),
      ),
    );
    const sizes = responses
      .filter((_, index) => index % 2 === 1)
      .map(({ body }) => (JSON.parse(body) as unknown[]).length);
    expect(sizes).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('do not block other clients', async () => {
    const socket = connect(service.port, '127.0.0.1');
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    socket.write(times(200, (id) => request(id, 'GET /v1/pets?limit=1')));
    await once(socket, 'data');
    expect((await service.request('/v1/pets', { key })).status).toBe(200);
    const answered = rawResponses(received).length;
    socket.destroy();
    expect(answered).toBeLessThan(100);
  });

  it('end with the connection if there are too many on it', async () => {
    const bytes = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000);
    expect(rawResponses(await sendRaw(service.port, bytes)).length).toBeLessThan(250);
    expect((await service.request('/health/live')).status).toBe(200);
  });

  it('end with their connections if too many wait on all connections', async () => {
    const bytes = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(240);
    const sockets = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const socket = connect(service.port, '127.0.0.1').pause();
        socket.on('error', () => undefined);
        await once(socket, 'connect');
        return socket;
      }),
    );
    await until(async () => (await openConnections()) >= sockets.length);
    for (const socket of sockets) socket.write(bytes);
    await until(async () => (await openConnections()) < 45);
    expect(await openConnections()).toBeGreaterThan(35);
    for (const socket of sockets) socket.destroy();
    expect((await service.request('/health/live')).status).toBe(200);
    await until(async () => (await openConnections()) < 5);
    const responses = rawResponses(
      await sendRaw(
        service.port,
        times(200, (id) => request(id, 'GET /v1/pets')),
      ),
    );
    expect(responses).toHaveLength(200);
  });
});
