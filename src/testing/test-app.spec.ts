import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { Public } from '../auth/access.decorators.js';
import { startTestApp, type TestApp, type TestAppOptions } from './test-app.js';
import { SqliteTestDatabase } from './test-database.js';

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

@Module({ controllers: [WeatherController], providers: [Weather] })
class WeatherModule {}

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
    const extensions = [{ module: WeatherModule }];
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

  it('removes the database if the app does not start', async () => {
    await expect(startTestApp({ env: { PORT: 'none' } })).rejects.toThrow('PORT');
  });
});
