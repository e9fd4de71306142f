import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Folders } from '../support/folders.js';
import { runKeys, type ServiceProcess, startProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

const CURL = /curl -H "Authorization: (Bearer psk_live_[0-9A-Za-z]{36})" (http:\/\/localhost:[0-9]+\/v1\/pets)\n/;

const folders = new Folders();
const running: ServiceProcess[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop('SIGKILL')));
  await folders.remove();
});

async function start(folder: string, env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await startProcess({ folder, env });
  running.push(service);
  return service;
}

/** What a process has written by a moment after its start. */
async function greeting(service: ServiceProcess): Promise<string> {
  await delay(300);
  return service.output();
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

const keysIn = (text: string) => new Set(text.match(/psk_\w+/g));

const get = (url: string, authorization: string) => fetch(url, { headers: { Authorization: authorization } });

describe('the first start with the default database', () => {
  it('prints one key, the address of the explorer and a working curl command; the second start prints none', async () => {
    const folder = folders.make();
    // Empty counts as unset.
    const first = await start(folder, {
      DATABASE_URL: '',
      BASE_URL: '',
      TRUST_PROXY: '',
      CORS_ORIGINS: '',
      LOG_LEVEL: '',
      ANONYMOUS_PER_DAY: '',
    });
    await until(() => CURL.test(first.output()));
    const text = await greeting(first);
    expect(keysIn(text).size).toBe(1);
    const [, authorization = '', url = ''] = CURL.exec(text) ?? [];
    const response = await get(url, authorization);
    expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([200, '300']);
    const pets = (await response.json()) as { id: number; name: string }[];
    expect(pets.length).toBeGreaterThanOrEqual(3);
    expect(pets[0]).toMatchObject({ id: 1, name: expect.any(String), categoryId: expect.any(Number) });
    const explorer = await fetch(/http:\/\/localhost:[0-9]+\/docs/.exec(text)?.[0] ?? '');
    expect([explorer.status, explorer.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
    expect(existsSync(join(folder, 'data/petstore.sqlite'))).toBe(true);
    await first.stop();

    const second = await start(folder);
    expect(keysIn(await greeting(second)).size).toBe(0);
    const again = await get(`${second.origin}/v1/pets`, authorization);
    expect(await again.json()).toEqual(pets);
  });

  it('of a staging service has a file and a test key of its own', async () => {
    const folder = folders.make();
    const production = await start(folder);
    const staging = await start(folder, { ENVIRONMENT: 'staging' });
    await until(() => keysIn(production.output()).size === 1 && keysIn(staging.output()).size === 1);
    const [live = ''] = keysIn(production.output());
    const [key = ''] = keysIn(staging.output());
    expect([live, key]).toEqual([expect.stringMatching(/^psk_live_/), expect.stringMatching(/^psk_test_/)]);
    const pets = `${staging.origin}/v1/pets`;
    expect((await get(pets, `Bearer ${key}`)).status).toBe(200);
    expect((await get(pets, `Bearer ${live}`)).status).toBe(401);
    const files = readdirSync(join(folder, 'data'));
    expect(files).toEqual(expect.arrayContaining(['petstore.sqlite', 'petstore-staging.sqlite']));
    const listed = async (env: Record<string, string>) => (await runKeys(['list', '--json'], { folder, env })).stdout;
    expect(await listed({ ENVIRONMENT: 'staging' })).not.toBe(await listed({}));
  });

  it('of two processes at once serves with one of them, and creates one key and one set of pets', async () => {
    const folder = folders.make();
    const outcomes = await Promise.allSettled([start(folder), start(folder)]);
    const [one, ...others] = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    if (one === undefined || others.length > 0) throw new Error('Not one of two services started.');
    const text = await greeting(one);
    expect(keysIn(text).size).toBe(1);
    const response = await get(`${one.origin}/v1/pets?limit=100`, CURL.exec(text)?.[1] ?? '');
    const names = ((await response.json()) as { name: string }[]).map(({ name }) => name);
    expect(names.length).toBeGreaterThanOrEqual(3);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the default database', () => {
  it('gets neither keys nor pets if SAMPLE_DATA is false', async () => {
    const service = await start(folders.make(), { SAMPLE_DATA: 'false' });
    expect(keysIn(await greeting(service)).size).toBe(0);
  });

  it('can be read by its owner only, whether the service or the keys command line creates it', async () => {
    const [served, managed] = [folders.make(), folders.make()];
    await start(served);
    expect((await runKeys(['create', '--account', 'acme', '--plan', 'free'], { folder: managed })).code).toBe(0);
    for (const data of [served, managed].map((folder) => join(folder, 'data'))) {
      expect(modeOf(data)).toBe(0o700);
      expect(readdirSync(data)).toContain('petstore.sqlite');
      for (const file of readdirSync(data)) expect(modeOf(join(data, file))).toBe(0o600);
    }
  });
});

describe('the log line of a start', () => {
  it.each(['127.0.0.1', ''])('has working addresses of the service and the explorer: HOST=%s', async (host) => {
    const service = await start(folders.make(), { HOST: host, DATABASE_URL: 'sqlite::memory:' });
    const lines = service.output().split('\n');
    const line = JSON.parse(lines.find((one) => one.includes('"listening"')) ?? '{}') as {
      address: string;
      explorer: string;
    };
    const address = `http://localhost:${service.port}`;
    expect(line).toMatchObject({ message: 'listening', address, explorer: `${address}/docs` });
    expect((await fetch(line.explorer)).status).toBe(200);
    expect((await fetch(`${line.address}/v1/pets`)).status).toBe(401);
  });
});

describe('a start with DATABASE_URL', () => {
  it.each(['sqlite::memory:', 'sqlite:data/petstore.sqlite'])('creates neither keys nor pets: %s', async (url) => {
    const service = await start(folders.make(), { DATABASE_URL: url });
    expect(keysIn(await greeting(service)).size).toBe(0);
    const metrics = await (await fetch(`${service.origin}/metrics`)).text();
    expect(metrics).toContain('petstore_admissions_total');
  });
});
