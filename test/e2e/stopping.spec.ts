import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Folders } from '../support/folders.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

/** Open streams are cut off 8 seconds after SIGINT. */
const STREAM_MS = 12_000;

const folders = new Folders();
let service: ServiceProcess;

beforeEach(async () => {
  service = await startProcess({
    file: join(import.meta.dirname, '../support/stoppable-service.js'),
    folder: folders.make(),
    env: { DATABASE_URL: 'sqlite::memory:' },
  });
});
afterEach(() => service.stop('SIGKILL'));
afterAll(() => folders.remove());

const readiness = async () => (await fetch(`${service.origin}/health/ready`)).status;

describe('a service with an extension that is stopped', () => {
  it('answers all requests until it closes, because providers are destroyed after that', async () => {
    service.signal('SIGTERM');
    await until(async () => (await readiness()) === 503);
    const statuses: number[] = [];
    const startMs = performance.now();
    for (let isOpen = true; isOpen; await delay(5)) {
      const response = await fetch(`${service.origin}/v1/pumps`).catch(() => undefined);
      isOpen = response !== undefined;
      if (response !== undefined) statuses.push(response.status);
    }
    expect(performance.now() - startMs).toBeGreaterThan(1_000);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await service.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  it('is not held up for long by an open stream', async () => {
    const stream = await fetch(`${service.origin}/v1/pumps/stream`);
    const text = stream.text().catch(() => 'cut off');
    const ended = await Promise.race([service.stop('SIGINT'), delay(STREAM_MS, 'still running', { ref: false })]);
    expect(ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(await text).toBe('cut off');
  });
});
