import { Agent } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ask } from '../support/http.js';
import { startWithKey } from '../support/insert-key.js';
import type { ServiceProcess } from '../support/service-process.js';
import { Folders } from '../support/temporary.js';
import { UnreadConnections } from '../support/unread.js';

const CONNECTIONS = 20;
const ATTACK_MS = 2_000;
const MOST_RESIDENT_BYTES = 350 * 1024 * 1024;
const CALM_MS = 500;
/** Regression limit: these requests used to block the event loop for 8 s. */
const MOST_DELAY_MS = 1_000;
/** Maximum slowdown of the slowest requests on a busy machine, as a factor. */
const MOST_TIMES_LONGER = 10;

const folders = new Folders();
let service: ServiceProcess;
let key: string;
let calmP99Ms: number;
const unread: UnreadConnections[] = [];

beforeAll(async () => {
  ({ service, key } = await startWithKey(folders.make(), { LOG_LEVEL: 'silent' }));
  const pet = JSON.stringify({ name: 'x'.repeat(255), categoryId: 1 });
  const headers = { 'Content-Type': 'application/json' };
  for (let n = 0; n < 100; n += 1)
    await ask(service.port, { method: 'POST', path: '/v1/pets', key, headers, body: pet });
  calmP99Ms = (await observe(CALM_MS)).p99Ms;
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

describe.each(['/docs/swagger-ui-bundle.js', '/v1/pets?limit=100'])(
  'connections that send %s 1,500 times and never read',
  (path) => {
    it('use little memory, and delay no other client', async () => {
      unread.push(await UnreadConnections.open(service.port, CONNECTIONS, requestFor(path).repeat(1_500)));
      const { p99Ms, residentBytes } = await observe(ATTACK_MS);
      expect(residentBytes).toBeLessThan(MOST_RESIDENT_BYTES);
      expect(p99Ms).toBeLessThan(MOST_DELAY_MS + calmP99Ms * MOST_TIMES_LONGER);
    });
  },
);
