import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { getDataSourceToken, getRepositoryToken } from '@nestjs/typeorm';
import { createApp, Env, loadEnv, Public, sendPage } from '../../src/index.js';
import {
  FakeClock,
  fakeReply,
  SqliteTestDatabase,
  startTestApp,
  type TestApp,
  type TestAppOptions,
} from '../../src/testing/index.js';
import { captureOutput } from '../support/main-program.js';
import { startApp } from '../support/app.js';
import { makeFolder } from '../support/databases.js';
import { extensionOf } from '../support/extensions.js';
import { NoteEntity, NOTES, NotesController } from '../support/notes.module.js';

async function prefixOf(options: TestAppOptions): Promise<string> {
  const service = await startTestApp(options);
  const { REDIS_PREFIX } = service.app.get(Env);
  await service.stop();
  return REDIS_PREFIX;
}

describe('the test kit, which uses databases of tests only', () => {
  it('refuses options that are unknown, or would lead to another database than one of the tests', async () => {
    const folder = makeFolder();
    const data = join(folder, 'data');
    mkdirSync(data);
    const file = join(data, 'petstore.sqlite');
    writeFileSync(file, 'the data of a team');
    writeFileSync(join(folder, '.env'), `DATABASE_URL=sqlite:${file}\n`);
    const url = `sqlite:${file}`;
    const refused: [unknown, RegExp][] = [
      [{ database: 'postgres' }, /database must be .* postgresUrl/],
      [{ database: null }, /database must be/],
      [{ database: { url, query: async () => [] } }, /database must be/],
      [{ databaseUrl: url }, /no option databaseUrl.*database, postgresUrl/],
      ['sqlite', /no option/],
      [{ env: { DATABASE_URL: url } }, /env cannot have DATABASE_URL/],
      [{ env: { DATABASE_URL_FILE: '.env' } }, /env cannot have DATABASE_URL/],
      [{ postgresUrl: '', database: new SqliteTestDatabase() }, /not both/],
      [{ postgresUrl: '' }, /URL of the server/],
      [{ postgresUrl: null }, /URL of the server/],
      [{ override: (builder: TestingModuleBuilder) => builder.overrideProvider(Env).useValue(loadEnv()) }, /Env/],
    ];
    const { DATABASE_URL } = process.env;
    const current = process.cwd();
    process.chdir(folder);
    process.env['DATABASE_URL'] = url;
    try {
      for (const [options, message] of refused)
        await expect(startTestApp(options as TestAppOptions)).rejects.toThrow(message);
      expect(() => new SqliteTestDatabase('data')).toThrow('not the folder of a test database');
      await expect(createApp({ env: {} as Env })).rejects.toThrow('createApp needs env');
      const service = await startTestApp({ env: { DATABASE_URL: '' } });
      expect(await service.database.query('SELECT "id" FROM "pets"')).toEqual([]);
      await service.stop();
    } finally {
      process.chdir(current);
      if (DATABASE_URL === undefined) delete process.env['DATABASE_URL'];
      else process.env['DATABASE_URL'] = DATABASE_URL;
    }
    expect([readdirSync(data), readFileSync(file, 'utf8')]).toEqual([['petstore.sqlite'], 'the data of a team']);
    rmSync(folder, { recursive: true });
  });

  it('leaves no database behind if the app does not start', async () => {
    let url = '';
    const configure = (app: NestFastifyApplication) => {
      url = String(app.get(Env).DATABASE_URL);
      throw new Error('no');
    };
    await expect(startTestApp({ configure })).rejects.toThrow('no');
    expect(url).toMatch(/^sqlite:.+petstore-test-/);
    expect(existsSync(url.slice('sqlite:'.length))).toBe(false);
  });

  it('keeps counts in Redis under a prefix of its database', async () => {
    const database = new SqliteTestDatabase();
    const prefixes = [await prefixOf({}), await prefixOf({ env: { REDIS_PREFIX: 'petstore:' }, database })];
    expect(prefixes).toEqual([
      expect.stringMatching(/^petstore-test-[0-9a-f]{16}:$/),
      expect.stringMatching(/^petstore-test-[0-9a-f]{16}:petstore:$/),
    ]);
    expect(prefixes[1]).not.toContain(prefixes[0]);
    await database.remove();
  });
});

describe('a controller of an extension', () => {
  it("works in Nest's testing module without providers of the service, also after the service has started", async () => {
    await (await startApp({ extensions: [NOTES] })).stop();
    const testing = await Test.createTestingModule({
      controllers: [NotesController],
      providers: [
        { provide: getRepositoryToken(NoteEntity), useValue: { save: async () => ({ id: 7 }) } },
        { provide: getDataSourceToken(), useValue: {} },
      ],
    }).compile();
    const app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
    await app.init();
    const response = await app.inject({ method: 'POST', url: '/notes', payload: { text: 'Feed Rex', petId: 1 } });
    expect([response.statusCode, response.json()]).toEqual([200, { id: 7 }]);
    await app.close();
  });
});

it('a fake reply has what a controller sets', async () => {
  const page = { items: [{ id: 1 }], nextAfter: 1 };
  const { reply } = await fakeReply();
  expect(sendPage(reply, '/v1/notes', { limit: 1 }, page)).toBe('[{"id":1}]');
  const { etag, link } = reply.getHeaders();
  expect([reply.statusCode, link]).toEqual([200, '</v1/notes?limit=1&after=1>; rel="next"']);
  const { reply: second } = await fakeReply({ headers: { 'if-none-match': String(etag) } });
  expect([sendPage(second, '/v1/notes', { limit: 1 }, page), second.statusCode]).toEqual([undefined, 304]);
});

const PET = { name: 'Bella', categoryId: 1 };

@Injectable()
class Weather {
  today(): string {
    return 'rain';
  }
}

@Controller('weather')
class WeatherController {
  constructor(private readonly weather: Weather) {}

  @Get()
  @Public()
  get(): object {
    return { today: this.weather.today() };
  }
}

const running: TestApp[] = [];

async function start(options?: TestAppOptions): Promise<TestApp> {
  const service = await startTestApp(options);
  running.push(service);
  return service;
}

afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});

describe('startTestApp', () => {
  it('starts on an empty database, which is removed with the app', async () => {
    const service = await startTestApp();
    const key = await service.key();
    expect((await service.post('/v1/pets', key, PET)).status).toBe(201);
    expect(await service.database.query('SELECT "name" FROM "pets"')).toEqual([{ name: 'Bella' }]);
    const { path } = service.database as SqliteTestDatabase;
    expect(existsSync(path)).toBe(true);
    await service.stop();
    expect(existsSync(path)).toBe(false);
  });

  it('sends and reads JSON with exact integers, and with headers', async () => {
    const service = await start();
    const key = await service.createKey();
    expect(key).toMatchObject({ id: expect.stringMatching(/^key_/), account: 'account 1', plan: 'business' });
    const id = 9_007_199_254_740_993n;
    const created = await service.json('/v1/categories', { key, body: { name: 'Fish', id } });
    expect(created).toMatchObject({ status: 201, body: { id, name: 'Fish' } });
    const path = `/v1/categories/${id}`;
    const headers = { 'If-Match': created.headers.get('etag') ?? '' };
    expect(await service.json(path, { key, method: 'PATCH', headers, body: { name: 'Fishes' } })).toMatchObject({
      status: 200,
      body: { id, name: 'Fishes' },
    });
    expect(await service.json(path, { key, method: 'PATCH', headers, body: {} })).toMatchObject({
      status: 412,
      body: { code: 'precondition_failed' },
    });
    expect(await service.json(path, { key })).toMatchObject({ status: 200, body: { id } });
    const { id: petId } = (await service.json<{ id: number }>('/v1/pets', { key, body: PET })).body;
    const removed = await service.json(`/v1/pets/${petId}`, { key, method: 'DELETE' });
    expect([removed.status, removed.body]).toEqual([204, undefined]);
  });

  it('records events', async () => {
    const service = await start();
    const { key, id: keyId } = await service.createKey();
    await service.post('/v1/pets', key, PET);
    const events = service.record('pet.*');
    await service.post('/v1/pets', key, { ...PET, name: 'Milo' });
    expect(await events.take(1)).toMatchObject([{ name: 'pet.created', actor: keyId, after: { name: 'Milo' } }]);
    await expect(events.take(1)).rejects.toThrow('0 of 1 events');
  });

  it('replaces providers of an extension', async () => {
    const extensions = [extensionOf({ controllers: [WeatherController], providers: [Weather] })];
    expect((await (await start({ extensions })).json('/v1/weather')).body).toEqual({ today: 'rain' });
    const sunny = await start({
      extensions,
      override: (builder) => builder.overrideProvider(Weather).useValue({ today: () => 'sun' }),
    });
    expect((await sunny.json('/v1/weather')).body).toEqual({ today: 'sun' });
    expect((await sunny.json('/v1/pets', { key: await sunny.key() })).status).toBe(200);
  });

  it("responds to requests that Fastify's inject() makes without a socket", async () => {
    const service = await start();
    const { app } = service;
    const authorization = `Bearer ${await service.key()}`;
    const created = await app.inject({ method: 'POST', url: '/v1/pets', headers: { authorization }, payload: PET });
    expect([created.statusCode, created.json()]).toEqual([201, { id: 1, ...PET }]);
    const listed = await app.inject({ url: '/v1/pets', headers: { authorization } });
    expect([listed.statusCode, listed.json()]).toEqual([200, [{ id: 1, ...PET }]]);
    expect((await app.inject({ url: '/health/live' })).statusCode).toBe(200);
  });

  it('refuses keys with scopes that no operation has', async () => {
    const service = await start();
    await expect(service.key({ scopes: ['pets:read', 'pet:write'] })).rejects.toThrow(
      'No operation has the scope pet:write',
    );
  });

  it('runs a task by its name, with the time of the clock', async () => {
    const clock = new FakeClock();
    const service = await start({ clock });
    const key = await service.key();
    await service.post('/v1/pets', key, { ...PET, status: 'available' });
    await service.post('/v1/store/orders', key, { petId: 1 });
    const statuses = async () =>
      (await service.json<{ status: string }[]>('/v1/store/orders', { key })).body.map(({ status }) => status);
    await service.runTask('cancelling expired orders');
    expect(await statuses()).toEqual(['placed']);
    // A leap of the clock of more than a day is not acted on.
    for (let days = 0; days < 4; days += 1) {
      clock.advanceSeconds(86_400);
      await service.runTask('cancelling expired orders');
    }
    expect(await statuses()).toEqual(['cancelled']);
    await expect(service.runTask('order')).rejects.toThrow('There is no task order. The tasks are: ');
  });

  it('starts several applications in a process without a warning', async () => {
    const output = captureOutput();
    for (let n = 0; n < 2; n += 1) await start({ env: { LOG_LEVEL: 'warn' } });
    expect(output()).toBe('');
  });
});
