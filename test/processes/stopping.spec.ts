import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Folders } from '../support/folders.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

const folders = new Folders();
let service: ServiceProcess;

beforeEach(async () => {
  service = await startProcess({
    file: join(import.meta.dirname, '../support/pumps-service.js'),
    folder: folders.make(),
    env: { DATABASE_URL: 'sqlite::memory:' },
  });
});
afterEach(() => service.stop('SIGKILL'));
afterAll(() => folders.remove());

const readiness = async () => (await fetch(`${service.origin}/health/ready`)).status;

const inProgress = async () =>
  ((await (await fetch(`${service.origin}/v1/pumps`)).json()) as { inProgress: number }).inProgress;

describe('a service with an extension that is stopped', () => {
  it('answers all requests until it closes, because providers are destroyed after that', async () => {
    service.signal('SIGTERM');
    await until(async () => (await readiness()) === 503);
    const statuses: number[] = [];
    for (let isOpen = true; isOpen; await delay(5)) {
      const response = await fetch(`${service.origin}/v1/pumps`).catch(() => undefined);
      isOpen = response !== undefined;
      if (response !== undefined) statuses.push(response.status);
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await service.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  it('is not held up for long by an open stream', async () => {
    const stream = await fetch(`${service.origin}/v1/pumps/stream`);
    const text = stream.text().catch(() => 'cut off');
    // After 30 seconds, it would exit with 1.
    expect(await service.stop('SIGINT')).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(await text).toBe('cut off');
  });

  it('is not held up by a stream that its extension ends', async () => {
    const stream = await fetch(`${service.origin}/v1/pumps/stream/ending`);
    const text = stream.text().catch(() => 'cut off');
    expect(await service.stop('SIGINT')).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(await text).toContain('data: 0');
  });

  it.each(['throw', 'reject'])(
    'after an error that nothing handles answers the requests in progress, and exits with 1: %s',
    async (how) => {
      const slow = fetch(`${service.origin}/v1/pumps/slow`);
      await until(async () => (await inProgress()) === 1);
      await fetch(`${service.origin}/v1/pumps/break-down/${how}`);
      expect((await slow).status).toBe(200);
      expect(await service.ended).toMatchObject({ code: 1, signal: null, stderr: '' });
      const lines = service
        .output()
        .split('\n')
        .filter((line) => line.includes('A pipe broke.'));
      expect(lines).toHaveLength(1);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({
        level: 'fatal',
        error: expect.stringMatching(/^Error: A pipe broke\.\n +at .*pumps-service/),
      });
    },
  );
});
