import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ask, JSON_TYPE } from '../support/http.js';
import { metricsOf, valueIn } from '../support/metrics.js';
import { type SharedProcess, shareProcess } from '../support/share-process.js';
import { until } from '../support/until.js';

const MEGABYTE = 1024 * 1024;

/** Connections that each send much, and requests of another client meanwhile. */
const FEW = 20;
const OTHERS = 50;
const MOST_BYTES_OF_FEW = 350 * MEGABYTE;
/** Regression limit: these requests used to block the event loop for 8 s. */
const MOST_PROCESSOR_SECONDS = 4;

const MANY = 2_000;
/** As many as Node reads of a connection at once. */
const BYTES = 64 * 1024;
/** Requests of others meanwhile, on one connection, and on new ones, which can wait in the kernel for many turns. */
const KEPT = 20;
const NEW = 4;
/** Regression limit: 530 MB on a quiet machine, and several gigabytes if connections did not share turns. */
const MOST_BYTES_OF_MANY = 800 * MEGABYTE;
/** V8 keeps some of its largest heap. */
const BYTES_AFTERWARDS = 400 * MEGABYTE;

const sockets: Socket[] = [];
const closeAll = () => {
  for (const socket of sockets.splice(0)) socket.destroy();
};
afterEach(closeAll);

/** Opens connections that never read, a hundred at a time, and sends the same bytes on all of them. */
async function openUnread(port: number, count: number, bytes: string): Promise<void> {
  while (sockets.length < count) {
    const length = Math.min(100, count - sockets.length);
    const some = Array.from({ length }, () => connect({ port, host: '127.0.0.1' }));
    // The service may close a connection while it still sends.
    for (const socket of some) socket.on('error', () => undefined);
    sockets.push(...some);
    await Promise.all(some.map((socket) => once(socket, 'connect')));
  }
  for (const socket of sockets) socket.write(bytes);
}

async function list({ service, key }: SharedProcess, times: number, agent?: Agent): Promise<void> {
  for (let n = 0; n < times; n += 1)
    expect((await ask(service.port, { path: '/v1/pets', key }, agent)).status).toBe(200);
}

/** What the service uses: memory now, and time of the processor since its start. */
async function usage({ service }: SharedProcess): Promise<{ residentBytes: number; processorSeconds: number }> {
  const text = await metricsOf(service.port);
  return {
    residentBytes: valueIn(text, 'process_resident_memory_bytes'),
    processorSeconds: valueIn(text, 'process_cpu_seconds_total'),
  };
}

describe('connections that send a request 1,500 times and never read', () => {
  const shared = shareProcess({ LOG_LEVEL: 'silent' });
  beforeAll(async () => {
    const { service, key } = shared;
    const body = JSON.stringify({ name: 'x'.repeat(255), categoryId: 1 });
    for (let n = 0; n < 100; n += 1)
      await ask(service.port, { method: 'POST', path: '/v1/pets', key, headers: JSON_TYPE, body });
  });

  it.each(['/docs/assets/current/swagger-ui-bundle.js', '/v1/pets?limit=100'])(
    'use little memory and little time, in which others are served: %s',
    async (path) => {
      const { service, key } = shared;
      const before = await usage(shared);
      const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      await openUnread(service.port, FEW, request.repeat(1_500));
      const agent = new Agent({ keepAlive: true });
      await list(shared, OTHERS, agent);
      agent.destroy();
      const after = await usage(shared);
      expect(after.residentBytes).toBeLessThan(MOST_BYTES_OF_FEW);
      expect(after.processorSeconds - before.processorSeconds).toBeLessThan(MOST_PROCESSOR_SECONDS);
    },
  );
});

const post = (token: string) =>
  `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
const CHUNKS = '1\r\n \r\n'.repeat(BYTES / 6);

describe(`${MANY} connections that send 64 KiB and read nothing`, () => {
  const shared = shareProcess({ LOG_LEVEL: 'silent' });

  /** The most memory that the service has while something lasts. */
  async function mostResidentBytes(lasting: Promise<unknown>): Promise<number> {
    const state = { isOver: false };
    const over = lasting.finally(() => (state.isOver = true));
    let most = 0;
    while (!state.isOver) most = Math.max(most, (await usage(shared)).residentBytes);
    await over;
    return most;
  }

  it.each<[string, () => string]>([
    ['pipelined requests without headers', () => 'GET / HTTP/1.1\r\n\r\n'.repeat(BYTES / 18)],
    ['tiny headers', () => `GET /v1/pets HTTP/1.1\r\n${'a:b\r\n'.repeat(990)}\r\n`.repeat(13)],
    ['an unfinished request', () => `GET /v1/pets HTTP/1.1\r\n${'a:b\r\n'.repeat(2_900)}`],
    ['tiny chunks', () => post(shared.key) + CHUNKS],
  ])('take little memory, and let others be served: %s', async (_, bytes) => {
    const agent = new Agent({ keepAlive: true });
    await list(shared, 1, agent);
    await openUnread(shared.service.port, MANY, bytes());
    const others = Promise.all([list(shared, KEPT, agent), list(shared, NEW)]);
    expect(await mostResidentBytes(others)).toBeLessThan(MOST_BYTES_OF_MANY);
    closeAll();
    // V8 returns memory when it collects garbage, and collects only while the service allocates.
    await until(async () => {
      await Promise.all(Array.from({ length: 16 }, () => list(shared, 1, agent)));
      return (await usage(shared)).residentBytes < BYTES_AFTERWARDS;
    });
    agent.destroy();
  });
});
