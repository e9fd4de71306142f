import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ask } from '../support/http.js';
import { startWithKey } from '../support/insert-key.js';
import { metricsOf, valueIn } from '../support/metrics.js';
import type { ServiceProcess } from '../support/service-process.js';
import { Folders } from '../support/temporary.js';
import { openUnread } from '../support/unread.js';
import { until } from '../support/until.js';

const CONNECTIONS = 2_000;
/** As many as Node reads of a connection at once. */
const BYTES = 64 * 1024;
/** Requests of others meanwhile, on one connection, and on new ones, which can wait in the kernel for many turns. */
const KEPT = 20;
const NEW = 4;
const MEGABYTE = 1024 * 1024;
/** Regression limit: 530 MB on a quiet machine, and several gigabytes if connections did not share turns. */
const MOST_RESIDENT_BYTES = 800 * MEGABYTE;
/** V8 keeps some of its largest heap. */
const RESIDENT_BYTES_AFTERWARDS = 400 * MEGABYTE;

const folders = new Folders();
let service: ServiceProcess;
let key: string;
let sockets: Socket[] = [];

beforeAll(async () => {
  ({ service, key } = await startWithKey(folders.make(), { LOG_LEVEL: 'silent' }));
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
});
afterAll(async () => {
  await service.stop('SIGKILL');
  await folders.remove();
});

const residentBytes = async () => valueIn(await metricsOf(service.port), 'process_resident_memory_bytes');

async function list(times: number, agent?: Agent): Promise<void> {
  for (let n = 0; n < times; n += 1)
    expect((await ask(service.port, { path: '/v1/pets', key }, agent)).status).toBe(200);
}

/** The most memory that the service has while something lasts. */
async function mostResidentBytes(lasting: Promise<unknown>): Promise<number> {
  const state = { isOver: false };
  const over = lasting.finally(() => (state.isOver = true));
  let most = 0;
  while (!state.isOver) most = Math.max(most, await residentBytes());
  await over;
  return most;
}

const post = (token: string) =>
  `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
const CHUNKS = '1\r\n \r\n'.repeat(BYTES / 6);

describe(`${CONNECTIONS} connections that send 64 KiB and read nothing`, () => {
  it.each<[string, () => string]>([
    ['pipelined requests without headers', () => 'GET / HTTP/1.1\r\n\r\n'.repeat(BYTES / 18)],
    ['tiny headers', () => `GET /v1/pets HTTP/1.1\r\n${'a:b\r\n'.repeat(990)}\r\n`.repeat(13)],
    ['an unfinished request', () => `GET /v1/pets HTTP/1.1\r\n${'a:b\r\n'.repeat(2_900)}`],
    ['tiny chunks', () => post(key) + CHUNKS],
  ])('take little memory, and let others be served: %s', async (_, bytes) => {
    const agent = new Agent({ keepAlive: true });
    await ask(service.port, { path: '/v1/pets', key }, agent);
    sockets = await openUnread(service.port, CONNECTIONS, bytes());
    const others = Promise.all([list(KEPT, agent), list(NEW)]);
    expect(await mostResidentBytes(others)).toBeLessThan(MOST_RESIDENT_BYTES);
    for (const socket of sockets) socket.destroy();
    // V8 returns memory when it collects garbage, and collects only while the service allocates.
    await until(async () => {
      await Promise.all(Array.from({ length: 16 }, () => list(1, agent)));
      return (await residentBytes()) < RESIDENT_BYTES_AFTERWARDS;
    });
    agent.destroy();
  });
});
