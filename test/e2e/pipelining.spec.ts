import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { Public } from '../../src/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { sendRaw } from '../support/raw.js';
import { rawResponses } from '../support/raw-responses.js';
import { until } from '../support/until.js';

/** Opens for the requests to `/v1/held`, which wait for it. */
const gate = Promise.withResolvers<void>();

@Controller('held')
class HeldController {
  @Get()
  @Public()
  @ApiExcludeEndpoint()
  async get(): Promise<object> {
    await gate.promise;
    return {};
  }
}

@Module({ controllers: [HeldController] })
class HeldModule {}

let service: TestApp;
let key: string;

beforeAll(async () => {
  service = await startApp({ extensions: [{ module: HeldModule }] });
  key = await service.key({ plan: 'enterprise', perMinute: 100_000, perDay: 100_000 });
});
afterAll(() => service.stop());

const request = (id: number, head: string, body = '') =>
  `${head} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nX-Request-Id: ${id}\r\nX-Filler: ${'x'.repeat(1_000)}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

const times = (count: number, make: (id: number) => string) =>
  Array.from({ length: count }, (_, id) => make(id)).join('');

/** That many requests, of which the last one ends the connection. */
const health = (count: number) =>
  `${'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count - 1)}GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;

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

  it('end with the connection if more than 250 wait on it', async () => {
    expect(rawResponses(await sendRaw(service.port, health(251), 10_000))).toHaveLength(251);
    expect(rawResponses(await sendRaw(service.port, health(252), 10_000)).length).toBeLessThan(252);
    expect((await service.request('/health/live')).status).toBe(200);
  });

  it('end with the connection if more than 10,000 wait on all connections', async () => {
    const accepted = new Set<Socket>();
    service.app.getHttpServer().on('connection', (socket: Socket) => accepted.add(socket));
    const bytes = `GET /v1/held HTTP/1.1\r\nHost: x\r\n\r\n${health(250)}`;
    const received = Array.from({ length: 40 }, () => sendRaw(service.port, bytes, 60_000));
    const isRead = ({ bytesRead }: Socket) => bytesRead === bytes.length;
    await until(() => accepted.size === 40 && [...accepted].every(isRead));
    expect(rawResponses(await sendRaw(service.port, health(2), 10_000)).length).toBeLessThan(2);
    gate.resolve();
    for (const responses of await Promise.all(received)) expect(rawResponses(responses)).toHaveLength(251);
    expect(rawResponses(await sendRaw(service.port, health(2), 10_000))).toHaveLength(2);
  });
});
