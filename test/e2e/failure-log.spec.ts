import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AMPLE, Folders, makeKeys } from '../support/folders.js';
import { ask, JSON_TYPE } from '../support/http.js';
import { sendRepeatedly } from '../support/repeated.js';
import { type Ended, type ServiceProcess, startProcess } from '../support/service-process.js';

/** Well below what a busy machine serves in the 10 s that failures are summed up for. */
const REQUESTS = 5_000;

const folders = new Folders();
let key: string;
let service: ServiceProcess;
let statuses: Record<number, number>;
let readyStatus: number;
let ended: Ended;

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** The database goes away, thousands of requests fail, it comes back, and the service is told to stop. */
beforeAll(async () => {
  const folder = folders.make();
  const file = join(folder, 'petstore.sqlite');
  [key = ''] = await makeKeys(folder, AMPLE);
  service = await startProcess({ folder, env: { DATABASE_URL: `sqlite:${file}` } });
  await ask(service.port, { path: '/v1/pets', key });
  renameSync(file, `${file}.moved`);
  const request = `GET /v1/pets?after=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  statuses = await sendRepeatedly(service.port, request, REQUESTS);
  const body = '{"name":"x","categoryId":1}';
  await ask(service.port, {
    method: 'POST',
    path: '/v1/pets',
    key,
    headers: { ...JSON_TYPE, 'X-Request-Id': 'create-1' },
    body,
  });
  renameSync(`${file}.moved`, file);
  service.signal('SIGTERM');
  await delay(200);
  readyStatus = (await ask(service.port, { path: '/health/ready' })).status;
  ended = await service.ended;
}, 60_000);
afterAll(() => folders.remove());

describe('failed requests', () => {
  it('are logged as one line for the first of each kind, and one with the count of the others', () => {
    expect(statuses).toEqual({ 503: REQUESTS });
    const lines = linesOf(ended.stdout).filter(({ context }) => context === 'Errors');
    const list = { level: 'error', method: 'GET', route: '/v1/pets', status: 503, code: 'service_unavailable' };
    const create = { ...list, method: 'POST' };
    const caller = {
      durationMs: expect.any(Number),
      keyId: expect.stringMatching(/^key_/),
      accountId: expect.any(Number),
    };
    expect(lines).toEqual([
      expect.objectContaining({ message: 'request failed', ...list, ...caller }),
      expect.objectContaining({ message: 'request failed', ...create, ...caller, requestId: 'create-1' }),
      expect.objectContaining({ message: 'more requests failed in the same way', ...list, count: REQUESTS - 1 }),
    ]);
  });

  it('are logged with the reason but no stack if the database is unavailable', () => {
    const line = linesOf(ended.stdout).find(({ message }) => message === 'request failed');
    expect(line?.['error']).toMatch(/\nbecause of .*petstore.sqlite is not the file that was opened/);
    expect(line?.['error']).not.toMatch(/\n\s+at /);
  });
});

describe('a graceful shutdown', () => {
  it('logs no error, although the readiness check returns 503', () => {
    expect(readyStatus).toBe(503);
    expect(linesOf(ended.stdout).filter(({ route }) => route === '/health/ready')).toEqual([]);
    expect([ended.code, ended.stderr]).toEqual([0, '']);
  });
});
