import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createApp } from '../../src/create-app.js';
import { loadEnv } from '../../src/platform/config/load-env.js';
import { VERSION } from '../../src/platform/config/env.js';
import { SAMPLE_PETS } from '../../src/sample-data.js';
import { FakeClock, startApp, trio } from '../support/app.js';
import { databaseUrl } from '../support/databases.js';
import { errorOf } from '../support/expectations.js';
import { Folders } from '../support/folders.js';
import { listen } from '../support/listen.js';
import { linesOf, type MainProgram, startMain } from '../support/main-program.js';
import { startProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

const CURL = /curl -H "Authorization: (Bearer psk_live_[0-9A-Za-z]{36})" (http:\/\/localhost:[0-9]+\/v1\/pets)\n/;

const NOON = Date.parse('2026-11-21T12:00:00Z') / 1000;

const folders = new Folders();
const running: MainProgram[] = [];
afterEach(async () => {
  for (const program of running.splice(0)) await program.stop();
  await folders.remove();
});

async function start(folder: string, env: Record<string, string> = {}): Promise<MainProgram> {
  const program = await startMain(folder, env);
  expect(program.stderr).toBe('');
  running.push(program);
  return program;
}

const keysIn = (text: string) => new Set(text.match(/psk_\w+/g));

const get = (url: string, authorization: string) => fetch(url, { headers: { Authorization: authorization } });

/** A start that fails. */
async function refusal(env: Record<string, string>, folder = folders.make()): Promise<MainProgram> {
  const program = await startMain(folder, env);
  expect(await program.ended).toBe(1);
  return program;
}

it('the built service starts, serves, and stops on SIGTERM with 0', async () => {
  const folder = folders.make();
  const service = await startProcess({ folder, env: { DATABASE_URL: databaseUrl(folder) } });
  expect((await fetch(`${service.origin}/v1/pets`)).status).toBe(401);
  expect(await service.stop('SIGTERM')).toMatchObject({ code: 0, signal: null, stderr: '' });
});

describe('the first start with the default database', () => {
  it('prints one key, the address of the explorer and a working curl command; the second start prints none', async () => {
    const folder = folders.make();
    // Empty counts as unset.
    const empty = { DATABASE_URL: '', BASE_URL: '', TRUST_PROXY: '', CORS_ORIGINS: '', LOG_LEVEL: '' };
    const first = await start(folder, empty);
    await until(() => CURL.test(first.output()));
    expect(keysIn(first.output()).size).toBe(1);
    const [, authorization = '', url = ''] = CURL.exec(first.output()) ?? [];
    const response = await get(url, authorization);
    expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([200, '300']);
    const pets = await response.json();
    expect(pets).toEqual(SAMPLE_PETS.map((pet, at) => ({ id: at + 1, ...pet })));
    const explorer = await fetch(/http:\/\/localhost:[0-9]+\/docs/.exec(first.output())?.[0] ?? '');
    expect(explorer.headers.get('content-type')).toContain('text/html');
    expect(readdirSync(join(folder, 'data'))).toContain('petstore.sqlite');

    const before = first.output();
    const cwd = process.cwd();
    process.chdir(folder);
    const second = await createApp({ env: loadEnv({}) }).finally(() => process.chdir(cwd));
    await second.listen(0, '127.0.0.1');
    const again = await get(`${await second.getUrl()}/v1/pets`, authorization);
    expect(await again.json()).toEqual(pets);
    await second.close();
    expect([...keysIn(first.output().slice(before.length))]).toEqual([]);
  });

  it('of a staging service has a file and a test key of its own', async () => {
    const folder = folders.make();
    const production = await start(folder);
    await until(() => keysIn(production.output()).size === 1);
    const staging = await start(folder, { ENVIRONMENT: 'staging' });
    await until(() => keysIn(staging.output()).size === 1);
    const [live = ''] = keysIn(production.output());
    const [key = ''] = keysIn(staging.output());
    expect([live, key]).toEqual([expect.stringMatching(/^psk_live_/), expect.stringMatching(/^psk_test_/)]);
    const pets = `${staging.origin}/v1/pets`;
    expect((await get(pets, `Bearer ${key}`)).status).toBe(200);
    expect((await get(pets, `Bearer ${live}`)).status).toBe(401);
    const files = readdirSync(join(folder, 'data'));
    expect(files).toEqual(expect.arrayContaining(['petstore.sqlite', 'petstore-staging.sqlite']));
  });

  it.each([
    { SAMPLE_DATA: 'false' },
    { DATABASE_URL: 'sqlite::memory:' },
    { DATABASE_URL: 'sqlite:data/petstore.sqlite' },
  ])('creates neither keys nor pets with %j', async (env) => {
    const program = await start(folders.make(), env);
    // A greeting would be written before the response to a later request that writes.
    expect((await get(`${program.origin}/health/ready`, '')).status).toBe(200);
    expect([...keysIn(program.output())]).toEqual([]);
    const metrics = await (await fetch(`${program.origin}/metrics`)).text();
    expect(metrics).toContain('petstore_admissions_total');
  });
});

describe('the log line of a start', () => {
  it.each(['127.0.0.1', ''])('tells what runs, without secrets, and has working addresses: HOST=%s', async (host) => {
    const env = { HOST: host, DATABASE_URL: 'sqlite::memory:', CORS_ORIGINS: '*', REVISION: 'abc123' };
    const program = await start(folders.make(), env);
    const address = `http://localhost:${program.port}`;
    expect(linesOf(program.output(), '"listening"')).toEqual([
      expect.objectContaining({
        level: 'info',
        context: 'Service',
        address,
        explorer: `${address}/docs`,
        version: VERSION,
        revision: 'abc123',
        database: 'SQLite',
        counters: 'this process',
        settings: expect.objectContaining({ DATABASE_URL: '(set)', CORS_ORIGINS: ['*'] }),
      }),
    ]);
    expect((await fetch(`${address}/docs`)).status).toBe(200);
    expect((await fetch(`${address}/v1/pets`)).status).toBe(401);
  });

  it('comes from a service that listens at no other address than HOST', async () => {
    const program = await start(folders.make(), { HOST: '127.0.0.1', DATABASE_URL: 'sqlite::memory:' });
    await expect(fetch(`http://[::1]:${program.port}/health/live`)).rejects.toThrow('fetch failed');
  });
});

describe('a service that cannot start', () => {
  it('closes what its modules have opened', async () => {
    const close = jest.fn();
    class OpeningModule {
      onApplicationShutdown = close;
    }
    const created = createApp({
      env: loadEnv({ DATABASE_URL: 'sqlite::memory:' }),
      extensions: [{ module: OpeningModule }],
      configure: () => Promise.reject(new Error('no adapter')),
    });
    await expect(created).rejects.toThrow('no adapter');
    expect(close).toHaveBeenCalledTimes(1);
  });

  it('names every invalid variable, shows no secret, and exits with 1', async () => {
    const env = { PORT: '80a', DATABASE_URL: 'mysql://petstore:hunter2@localhost/petstore', LOG_LEVLE: 'debug' };
    const { output, stderr } = await refusal(env);
    expect(output()).toBe('');
    expect(Object.keys(env).filter((name) => !stderr.includes(name))).toEqual([]);
    expect(stderr).not.toMatch(/hunter2|\n\s+at /);
  });

  it('reports a port that is in use', async () => {
    const server = createServer();
    const port = await listen(server);
    const { output, stderr } = await refusal({ PORT: String(port), DATABASE_URL: 'sqlite:petstore.sqlite' });
    server.close();
    expect(stderr).toMatch(/address already in use .*\. Set PORT to another port\.\n$/);
    expect(output()).not.toContain('already in use');
  });

  it('reports a file that is not a database', async () => {
    const folder = folders.make();
    writeFileSync(join(folder, 'petstore.sqlite'), 'This is no database. '.repeat(100));
    const { output, stderr } = await refusal({ DATABASE_URL: 'sqlite:petstore.sqlite' }, folder);
    expect(stderr).toMatch(/^Start failed: The file that DATABASE_URL names is damaged.*not a database.*\n$/);
    expect(linesOf(output(), 'not a database')).toEqual([]);
  });

  it('reports a database that does not respond once', async () => {
    const { output, stderr } = await refusal({ DATABASE_URL: 'postgres://petstore@127.0.0.1:1/petstore' });
    expect(stderr).toMatch(/^Start failed: .*ECONNREFUSED.*\n$/);
    expect(linesOf(output(), 'ECONNREFUSED')).toEqual([]);
  });

  it.each(['/proc/nowhere/petstore.sqlite', 'file/petstore.sqlite'])('says what to do about %s', async (path) => {
    const folder = folders.make();
    writeFileSync(join(folder, 'file'), '');
    const { stderr } = await refusal({ DATABASE_URL: `sqlite:${path}` }, folder);
    expect(stderr).toMatch(
      /^Start failed: E[A-Z]+: .*(?:nowhere|petstore\.sqlite)'\. Set DATABASE_URL to a writable file in a writable folder\.\n$/,
    );
  });

  it.each(['data/petstore.sqlite', 'link.sqlite'])('says which process serves the file: %s', async (file) => {
    const folder = folders.make();
    mkdirSync(join(folder, 'data'));
    symlinkSync(join(folder, 'data/petstore.sqlite'), join(folder, 'link.sqlite'));
    await start(folder);
    const { stderr } = await refusal({ DATABASE_URL: `sqlite:${file}` }, folder);
    expect(stderr).toMatch(/: Process \d+ on \S+ already serves \S+\.sqlite\. /);
  });

  it('leaves no database if its settings are invalid', async () => {
    const folder = folders.make();
    await refusal({ LOG_LEVEL: 'loud' }, folder);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });
});

it('a restart keeps the counts of accounts and addresses, the bans and strikes of keys, and the pets', async () => {
  const clock = new FakeClock();
  const env = { ANONYMOUS_PER_MINUTE: '5' };
  let service = await startApp({ clock, env });
  /** Stops the service, and starts another on its folder after a while. */
  const restart = async (afterSeconds: number) => {
    await service.stop({ keepData: true });
    clock.advanceSeconds(afterSeconds);
    service = await startApp({ clock, env, folder: service.folder });
  };
  const list = (key?: string) => service.request('/v1/pets', key === undefined ? {} : { key });
  const listTimes = async (times: number, key?: string) => {
    for (let n = 0; n < times; n += 1) await list(key);
  };
  const refusedWith = async (key?: string) => {
    const response = await list(key);
    const { code } = await errorOf(response);
    return [code, response.headers.get('retry-after'), trio(response).reset];
  };
  const usageOf = async (key: string) => (await service.request('/v1/usage', { key })).json();
  const enterprise = (perMinute: number, perDay: number) => service.key({ plan: 'enterprise', perMinute, perDay });
  const counted = await enterprise(10, 12);
  const [banned, striking] = [await enterprise(2, 1_000), await enterprise(3, 1_000)];
  const owner = await service.key();
  const add = async () => {
    const added = await service.post('/v1/pets', owner, '{"name":"x","categoryId":9223372036854775807}');
    return ((await added.json()) as { id: number }).id;
  };
  await listTimes(6, counted);
  await listTimes(4, banned);
  await listTimes(5, striking);
  await listTimes(4);
  const pet = await add();
  expect(await refusedWith(banned)).toEqual(['api_key_banned', '60', NOON + 60]);

  await restart(30);
  expect(trio(await list(counted))).toEqual({ limit: 10, remaining: 3, reset: NOON + 60 });
  expect(await refusedWith(banned)).toEqual(['api_key_banned', '30', NOON + 60]);
  expect(await usageOf(striking)).toMatchObject({ minute: { remaining: 0 }, strikes: 2 });
  expect((await refusedWith(striking))[0]).toBe('api_key_banned');
  expect(trio(await list()).remaining).toBe(0);
  expect((await refusedWith())[0]).toBe('rate_limit_exceeded');
  expect(await add()).toBe(pet + 1);
  expect(await (await service.request(`/v1/pets/${pet}`, { key: owner })).text()).toBe(
    `{"id":${pet},"name":"x","categoryId":9223372036854775807}`,
  );

  // The minute has ended. The day, and what a ban adds to the next one, have not.
  await restart(30);
  expect(trio(await list(counted))).toEqual({ limit: 12, remaining: 4, reset: NOON + 43_200 });
  await listTimes(3, banned);
  expect(await refusedWith(banned)).toEqual(['api_key_banned', '120', NOON + 180]);
  await service.stop();
});
