import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Folders } from '../support/folders.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';

const CURL = /curl -H "Authorization: (Bearer psk_live_[0-9A-Za-z]{36})" (http:\/\/localhost:[0-9]+\/v1\/pets)\n/;

const folders = new Folders();
const running: ServiceProcess[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()));
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

const keysIn = (text: string) => new Set(text.match(/psk_\w+/g));

const get = (url: string, authorization: string) => fetch(url, { headers: { Authorization: authorization } });

describe('the first start on the embedded default', () => {
  it('prints one key, the explorer\'s address and a curl line that works; the second start prints none', async () => {
    const folder = folders.make();
    // Empty counts as unset.
    const first = await start(folder, { DATABASE_URL: '', BASE_URL: '', TRUST_PROXY: '', CORS_ORIGINS: '', LOG_LEVEL: '', ANONYMOUS_PER_DAY: '' });
    const text = await greeting(first);
    expect(keysIn(text).size).toBe(1);
    const [, authorization = '', url = ''] = CURL.exec(text) ?? [];
    const answer = await get(url, authorization);
    expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([200, '300']);
    const pets = (await answer.json()) as { id: number; name: string }[];
    expect(pets.length).toBeGreaterThanOrEqual(3);
    expect(pets[0]).toMatchObject({ id: 1, name: expect.any(String), categoryId: expect.any(Number) });
    const explorer = await fetch(/http:\/\/localhost:[0-9]+\/docs/.exec(text)?.[0] ?? '');
    expect([explorer.status, explorer.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    expect(existsSync(join(folder, 'data/petstore.sqlite'))).toBe(true);
    await first.stop();

    const second = await start(folder);
    expect(keysIn(await greeting(second)).size).toBe(0);
    const again = await get(`${second.origin}/v1/pets`, authorization);
    expect(await again.json()).toEqual(pets);
  });

  it('made by two processes at once makes one key and one set of pets', async () => {
    const folder = folders.make();
    const [one, other] = await Promise.all([start(folder), start(folder)]);
    const text = (await greeting(one)) + (await greeting(other));
    expect(keysIn(text).size).toBe(1);
    const answer = await get(`${one.origin}/v1/pets?limit=100`, CURL.exec(text)?.[1] ?? '');
    const names = ((await answer.json()) as { name: string }[]).map(({ name }) => name);
    expect(names.length).toBeGreaterThanOrEqual(3);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('a start with DATABASE_URL', () => {
  it.each(['sqlite::memory:', 'sqlite:data/petstore.sqlite'])('makes up neither keys nor pets: %s', async (url) => {
    const service = await start(folders.make(), { DATABASE_URL: url });
    expect(keysIn(await greeting(service)).size).toBe(0);
    const metrics = await (await fetch(`${service.origin}/metrics`)).text();
    expect(metrics).toContain('petstore_admissions_total');
  });
});
