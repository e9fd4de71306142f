import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ask } from '../support/http.js';
import { startWithKey } from '../support/insert-key.js';
import { metricsOf, valueIn } from '../support/metrics.js';
import type { ServiceProcess } from '../support/service-process.js';
import { Folders } from '../support/temporary.js';
import { openUnread } from '../support/unread.js';

const CONNECTIONS = 20;
/** Requests of another client meanwhile. */
const OTHERS = 50;
const MOST_RESIDENT_BYTES = 350 * 1024 * 1024;
/** Regression limit: these requests used to block the event loop for 8 s. */
const MOST_PROCESSOR_SECONDS = 4;

const folders = new Folders();
let service: ServiceProcess;
let key: string;
let unread: Socket[] = [];

beforeAll(async () => {
  ({ service, key } = await startWithKey(folders.make(), { LOG_LEVEL: 'silent' }));
  const pet = JSON.stringify({ name: 'x'.repeat(255), categoryId: 1 });
  const headers = { 'Content-Type': 'application/json' };
  for (let n = 0; n < 100; n += 1)
    await ask(service.port, { method: 'POST', path: '/v1/pets', key, headers, body: pet });
});
afterEach(() => {
  for (const socket of unread) socket.destroy();
});
afterAll(async () => {
  await service.stop();
  await folders.remove();
});

const requestFor = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;

/** What the service uses: memory now, and time of the processor since its start. */
async function usage(): Promise<{ residentBytes: number; processorSeconds: number }> {
  const text = await metricsOf(service.port);
  return {
    residentBytes: valueIn(text, 'process_resident_memory_bytes'),
    processorSeconds: valueIn(text, 'process_cpu_seconds_total'),
  };
}

describe.each(['/docs/assets/current/swagger-ui-bundle.js', '/v1/pets?limit=100'])(
  'connections that send %s 1,500 times and never read',
  (path) => {
    it('use little memory and little time, in which others are served', async () => {
      const before = await usage();
      unread = await openUnread(service.port, CONNECTIONS, requestFor(path).repeat(1_500));
      const agent = new Agent({ keepAlive: true });
      for (let n = 0; n < OTHERS; n += 1)
        expect((await ask(service.port, { path: '/v1/pets', key }, agent)).status).toBe(200);
      agent.destroy();
      const after = await usage();
      expect(after.residentBytes).toBeLessThan(MOST_RESIDENT_BYTES);
      expect(after.processorSeconds - before.processorSeconds).toBeLessThan(MOST_PROCESSOR_SECONDS);
    });
  },
);
