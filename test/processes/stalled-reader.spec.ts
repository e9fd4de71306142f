import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import autocannon from 'autocannon';
import { ask } from '../support/http.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { shareFolder } from '../support/share-folder.js';
import { until } from '../support/until.js';

/** Each leaves a line of some 250 bytes: more than the pipe and what waits for it can hold. */
const REQUESTS = 6_000;

const folder = shareFolder();
let pipe: number;
let service: ServiceProcess;

/** Makes requests that are logged, while nobody reads the log. */
async function fillTheLog(): Promise<void> {
  const load = { url: `${service.origin}/health/ready`, connections: 20, amount: REQUESTS };
  expect(await autocannon(load)).toMatchObject({ '2xx': REQUESTS, errors: 0 });
}

describe('a reader of standard output that stalls', () => {
  beforeAll(async () => {
    execFileSync('mkfifo', [join(folder, 'stdout')]);
    pipe = openSync(join(folder, 'stdout'), 'r+');
    service = await startProcess({
      folder,
      stdout: pipe,
      env: { DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'debug' },
    });
  });
  afterAll(async () => {
    await service.stop('SIGKILL');
    closeSync(pipe);
  });

  it('delays no responses; it gets the buffered lines when it continues, and the number of dropped lines', async () => {
    await fillTheLog();
    expect((await ask(service.port, { path: '/health/live' })).status).toBe(200);
    const reader = openSync(join(folder, 'stdout'), constants.O_RDONLY | constants.O_NONBLOCK);
    let text = '';
    await until(() => (text += read(reader)).includes('were dropped'));
    closeSync(reader);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const kept = lines.filter(({ message, route }) => message === 'request' && route === '/health/ready').length;
    const warning = lines.find(({ context }) => context === 'Logging');
    expect(kept).toBeGreaterThan(1_000);
    expect(kept + Number(warning?.['count'])).toBeGreaterThanOrEqual(REQUESTS);
    expect(warning).toMatchObject({ level: 'warn', count: expect.any(Number) });
  });

  it('does not delay the shutdown', async () => {
    await fillTheLog();
    expect(await service.stop('SIGTERM')).toMatchObject({ code: 0, signal: null });
  });
});

const LINES = 5_000;
/** Writes more than a pipe holds, and ends the process at once. */
const script = (end: string) => `
  import { StandardOutput } from '${join(import.meta.dirname, '../../dist/src/platform/logging/standard-output.js')}';
  for (let n = 0; n < ${LINES}; n += 1) StandardOutput.get().write(String(n).padStart(99) + '\\n');
  ${end}`;

describe('the exit of a process', () => {
  it.each([
    ['process.exit(3)', 3],
    ['throw new Error("fatal")', 1],
  ])('comes after the last line of the log: %s', async (end, code) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script(end)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exited = once(child, 'exit');
    const text = (await child.stdout.setEncoding('utf8').toArray()).join('');
    expect(text.split('\n').map(Number)).toEqual([...Array(LINES).keys(), 0]);
    expect(await exited).toEqual([code, null]);
  });

  it('does not wait for a reader that stalls', async () => {
    const path = join(folder, 'unread');
    execFileSync('mkfifo', [path]);
    const unread = openSync(path, 'r+');
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script('process.exit(3)')], {
      stdio: ['ignore', unread, 'ignore'],
    });
    expect(await once(child, 'exit')).toEqual([3, null]);
    closeSync(unread);
  });
});

function read(reader: number): string {
  const buffer = Buffer.alloc(65_536);
  try {
    return buffer.toString('utf8', 0, readSync(reader, buffer));
  } catch {
    return '';
  }
}
