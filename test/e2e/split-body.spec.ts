import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { AMPLE } from '../support/folders.js';
import { RedisServer } from '../support/servers/redis-server.js';

describeWithRedis('a body in two packets', () => {
  let server: RedisServer;
  let service: TestApp;

  beforeAll(async () => {
    server = await RedisServer.start();
    service = await startApp({ env: server.env });
  });
  afterAll(async () => {
    await service.stop();
    await server.stop();
  });

  it('is read completely if its end arrives while Redis decides on the request', async () => {
    const key = await service.key(AMPLE);
    const body = '{"name":"Bella","categoryId":12345}';
    const head = `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const statuses = new Set<string>();
    for (let n = 0; n < 120; n += 1) {
      const socket = connect({ port: service.port, host: '127.0.0.1', noDelay: true });
      socket.write(head + body.slice(0, 20));
      for (let turns = 0; turns < n % 12; turns += 1) await nextTurn();
      socket.write(body.slice(20));
      const [response] = (await once(socket, 'data')) as [Buffer];
      statuses.add(response.toString('latin1').slice(0, 'HTTP/1.1 201'.length));
      socket.destroy();
    }
    expect([...statuses]).toEqual(['HTTP/1.1 201']);
  });
});
