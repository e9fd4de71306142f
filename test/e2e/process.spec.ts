import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { databaseUrl, queryDatabase } from '../support/databases.js';
import { AMPLE, Folders, makeKeys } from '../support/folders.js';
import { ask, JSON_TYPE } from '../support/http.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

/** Far less than the 30 seconds after which what holds up the end is cut off. */
const HELD_UP_MS = 15_000;

const folders = new Folders();
let folder: string;
let key: string;
let service: ServiceProcess;

beforeAll(async () => {
  folder = folders.make();
  [key = ''] = await makeKeys(folder, AMPLE);
});
beforeEach(async () => {
  service = await startProcess({ folder, env: { DATABASE_URL: databaseUrl(folder) } });
});
afterEach(() => service.stop('SIGKILL'));
afterAll(() => folders.remove());

/** Collects what comes over a connection. */
function open(): { socket: Socket; received: () => string; closed: Promise<void> } {
  let received = '';
  const socket = connect(service.port, '127.0.0.1');
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  socket.on('error', () => undefined);
  return { socket, received: () => received, closed: new Promise((resolve) => socket.on('close', () => resolve())) };
}

const create = (name: string) =>
  ask(service.port, {
    method: 'POST',
    path: '/v1/pets',
    key,
    headers: JSON_TYPE,
    body: JSON.stringify({ name, categoryId: 1 }),
  });

const countOf = async (name: string) =>
  (await queryDatabase(folder, `SELECT id FROM pets WHERE name = '${name}'`)).length;

describe('SIGTERM', () => {
  it('completes a request whose body is still arriving, and exits with 0', async () => {
    const body = '{"name":"late","categoryId":1}';
    const { socket, received } = open();
    socket.write(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    await until(() => received().startsWith('HTTP/1.1 100 '));
    socket.write(body.slice(0, 5));
    service.signal('SIGTERM');
    await until(async () => (await ask(service.port, { path: '/health/ready' })).status === 503);
    expect(received()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body.slice(5));
    const ended = await Promise.race([service.ended, delay(HELD_UP_MS, 'still running')]);
    expect(received()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
    expect(ended).toMatchObject({ code: 0, signal: null });
    expect(received().toLowerCase()).toContain('connection: close');
    expect(await countOf('late')).toBe(1);
  });

  it('is not delayed by idle connections, and stops new ones', async () => {
    const { socket, received, closed } = open();
    socket.write(`GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(() => received().startsWith('HTTP/1.1 200 '));
    const startMs = performance.now();
    const { code } = await service.stop('SIGTERM');
    await closed;
    expect(code).toBe(0);
    expect(performance.now() - startMs).toBeLessThan(HELD_UP_MS);
    await expect(fetch(`${service.origin}/health/live`)).rejects.toThrow('fetch failed');
  });

  it('makes the service not ready while it still accepts requests', async () => {
    const { socket, received } = open();
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => received().startsWith('HTTP/1.1 200 '));
    service.signal('SIGTERM');
    let ready = await ask(service.port, { path: '/health/ready' });
    await until(async () => (ready = await ask(service.port, { path: '/health/ready' })).status !== 200);
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await create('meanwhile')).status).toBe(201);
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => received().split('HTTP/1.1 200 ').length > 2);
    expect(
      received()
        .toLowerCase()
        .match(/connection: \S+/g),
    ).toEqual(['connection: keep-alive', 'connection: close']);
    expect((await service.ended).code).toBe(0);
  });

  it('is not delayed by a collector of traces that does not respond, which the log says', async () => {
    await service.stop('SIGTERM');
    const env = { DATABASE_URL: databaseUrl(folder), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    service = await startProcess({ folder, env });
    await ask(service.port, { path: '/v1/pets' });
    const startMs = performance.now();
    const { code, stdout } = await service.stop('SIGTERM');
    expect([code, performance.now() - startMs < HELD_UP_MS]).toEqual([0, true]);
    expect(stdout).toContain('"message":"traces were not exported","reason":"');
    expect(stdout).toContain('"message":"stopped"');
    expect(stdout).not.toContain('"level":"fatal"');
  });

  it('leaves nothing that disturbs the next start', async () => {
    expect((await create('before')).status).toBe(201);
    await service.stop('SIGTERM');
    service = await startProcess({ folder, env: { DATABASE_URL: databaseUrl(folder) } });
    expect(await countOf('before')).toBe(1);
    expect((await create('after')).status).toBe(201);
  });
});
