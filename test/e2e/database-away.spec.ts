import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { errorOf, expectTrio } from '../support/expectations.js';

const PET = '{"name":"x","categoryId":1}';
const AWAY = { status: 503, code: 'service_unavailable' };

let service: TestApp;
let key: string;
let file: string;

beforeEach(async () => {
  service = await startApp();
  key = await service.key();
  file = join(service.folder, 'petstore.sqlite');
  await service.post('/v1/pets', key, PET);
});
afterEach(() => service.stop());

describe('while the database is unavailable', () => {
  it('known keys are admitted, unknown ones get 503, no write is acknowledged, and the service recovers', async () => {
    const unknown = await service.key();
    renameSync(file, `${file}.moved`);
    for (const response of [
      await service.request('/v1/pets?limit=9', { key }),
      await service.post('/v1/pets', key, PET),
      await service.request('/v1/pets', { key: unknown }),
      await service.request('/health/ready'),
    ]) {
      expect(response.headers.get('retry-after')).toBe('1');
      expect(await errorOf(response)).toMatchObject(AWAY);
    }
    expectTrio(await service.request('/v1/pets', { key: unknown }));
    expect((await service.request('/health/live')).status).toBe(200);
    renameSync(`${file}.moved`, file);
    expect((await service.post('/v1/pets', key, PET)).status).toBe(201);
    expect(await (await service.request('/v1/pets', { key: unknown })).json()).toHaveLength(2);
    expect((await service.request('/health/ready')).status).toBe(200);
  });
});
