import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from 'petstore-service/testing';
import { VET_VISITS } from '../src/extension.js';
import { VetVisitsNotifier } from '../src/vet-visits.notifier.js';

const notified = Promise.withResolvers<string>();
const notify = async (_id: string, message: string) => notified.resolve(message);
let service: TestApp;
let key: string;

beforeAll(async () => {
  service = await startTestApp({
    extensions: [VET_VISITS],
    override: (builder) => builder.overrideProvider(VetVisitsNotifier).useValue({ notify }),
  });
  key = await service.key({ scopes: ['vet-visits:read', 'vet-visits:write'] });
});
afterAll(() => service.stop());

it('creates and lists vet visits, and notifies of each', async () => {
  const created = await service.json('/v1/vet-visits', { key, body: { name: 'First' } });
  expect([created.status, created.body]).toEqual([201, { id: 1, name: 'First' }]);
  expect(await notified.promise).toBe('vet-visit:1 was created');
  expect((await service.json('/v1/vet-visits', { key })).body).toEqual([{ id: 1, name: 'First' }]);
});

it('refuses a vet visit without a name', async () => {
  const { body } = await service.json('/v1/vet-visits', { key, body: {} });
  expect(body).toMatchObject({ code: 'validation_failed', status: 400 });
});
