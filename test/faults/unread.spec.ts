import { Agent } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseUrl } from '../support/databases.js';
import { AMPLE, Folders, makeKeys } from '../support/folders.js';
import { ask } from '../support/http.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { UnreadConnections } from '../support/unread.js';

const CONNECTIONS = 20;
const ATTACK_MS = 4_000;
const MOST_RESIDENT_BYTES = 350 * 1024 * 1024;
const CALM_MS = 1_000;
/** Regression limit: these requests used to block the event loop for 8 s. */
const MOST_DELAY_MS = 1_000;
/** Maximum slowdown of the slowest requests on a busy machine, as a factor. */
const MOST_TIMES_LONGER = 10;
/**
 * Generous limit: the service first waits 10 s for request headers, then detects within 30 s that a client has read
 * nothing for 15 s.
 */
const CLOSED_MS = 60_000;
const SLOW_READING_MS = 35_000;

const folders = new Folders();
let service: ServiceProcess;
let key: string;
const unread: UnreadConnections[] = [];

beforeAll(async () => {
  const folder = folders.make();
  [key = ''] = await makeKeys(folder, AMPLE);
  service = await startProcess({ folder, env: { DATABASE_URL: databaseUrl(folder), LOG_LEVEL: 'silent' } });
  const pet = JSON.stringify({ name: 'x'.repeat(255), categoryId: 1 });
  const headers = { 'Content-Type': 'application/json' };
  for (let n = 0; n < 100; n += 1)
    await ask(service.port, { method: 'POST', path: '/v1/pets', key, headers, body: pet });
});
afterEach(() => {
  for (const connections of unread.splice(0)) connections.destroy();
});
afterAll(async () => {
  await service.stop();
  await folders.remove();
});

const requestFor = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;

async function gauge(name: string): Promise<number> {
  const text = await (await ask(service.port, { path: '/metrics' })).text();
  return Number(new RegExp(`^${name} ([0-9.e+]+)$`, 'm').exec(text)?.[1]);
}

/** Measures the latency of another client, and the memory of the service, for some time. */
async function observe(durationMs: number): Promise<{ p99Ms: number; residentBytes: number }> {
  const agent = new Agent({ keepAlive: true });
  const durationsMs: number[] = [];
  let residentBytes = 0;
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) {
    const beginMs = performance.now();
    const { status } = await ask(service.port, { path: '/v1/pets', key }, agent);
    if (status !== 200) throw new Error(`The list was answered ${status}.`);
    durationsMs.push(performance.now() - beginMs);
    if (durationsMs.length % 50 === 0)
      residentBytes = Math.max(residentBytes, await gauge('process_resident_memory_bytes'));
  }
  agent.destroy();
  residentBytes = Math.max(residentBytes, await gauge('process_resident_memory_bytes'));
  return {
    p99Ms: durationsMs.toSorted((a, b) => a - b)[Math.floor(durationsMs.length * 0.99)] ?? Infinity,
    residentBytes,
  };
}

/** Waits until the service has no more open file descriptors than before. Returns false on timeout. */
async function closed(descriptors: number): Promise<boolean> {
  const endMs = performance.now() + CLOSED_MS;
  while (performance.now() < endMs) {
    if ((await gauge('process_open_fds')) <= descriptors) return true;
    await delay(250);
  }
  return false;
}

describe.each(['/docs/swagger-ui-bundle.js', '/v1/pets?limit=100'])(
  'connections that send %s 1,500 times and never read',
  (path) => {
    it('use little memory, delay no other client, and are closed', async () => {
      const calm = await observe(CALM_MS);
      const descriptors = await gauge('process_open_fds');
      unread.push(await UnreadConnections.open(service.port, CONNECTIONS, requestFor(path).repeat(1_500)));
      const { p99Ms, residentBytes } = await observe(ATTACK_MS);
      expect(residentBytes).toBeLessThan(MOST_RESIDENT_BYTES);
      expect(p99Ms).toBeLessThan(MOST_DELAY_MS + calm.p99Ms * MOST_TIMES_LONGER);
      expect(await closed(descriptors)).toBe(true);
    });
  },
);

describe('connections with a response that is larger than the buffers', () => {
  const LARGE = 'GET /v1/pumps/large HTTP/1.1\r\nHost: x\r\n\r\n';
  let own: ServiceProcess;
  let reading: Promise<void>;

  beforeAll(async () => {
    own = service;
    const file = join(import.meta.dirname, '../support/pumps-service.js');
    service = await startProcess({ file, folder: folders.make(), env: { DATABASE_URL: 'sqlite::memory:' } });
  });
  afterAll(async () => {
    await service.stop('SIGKILL');
    service = own;
  });

  it('are closed after a while if they do not read, even if they continue to send', async () => {
    const descriptors = await gauge('process_open_fds');
    // At the same time, as it takes as long.
    reading = readSlowly();
    unread.push(await UnreadConnections.open(service.port, CONNECTIONS, LARGE));
    const sending = await UnreadConnections.open(service.port, 2, LARGE);
    unread.push(sending);
    const timer = setInterval(() => sending.send(LARGE), 2_000);
    expect(await closed(descriptors + 1).finally(() => clearInterval(timer))).toBe(true);
  });

  it('get it if they read slowly, however long it takes', () => expect(reading).resolves.toBeUndefined());

  async function readSlowly(): Promise<void> {
    const head = await ask(service.port, { method: 'HEAD', path: '/v1/pumps/large' });
    const size = Number(head.headers.get('content-length'));
    const socket = connect(service.port, '127.0.0.1');
    socket.write(LARGE);
    let received = 0;
    const endMs = performance.now() + SLOW_READING_MS;
    // Each read returns at most the socket's buffer of 64 KiB.
    for (; performance.now() < endMs; await delay(250)) received += ((socket.read() as Buffer | null) ?? '').length;
    expect(received).toBeLessThan(size);
    for await (const chunk of socket) {
      received += (chunk as Buffer).length;
      if (received >= size) break;
    }
    expect(received).toBeGreaterThanOrEqual(size);
  }
});
