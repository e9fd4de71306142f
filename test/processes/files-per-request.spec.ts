import { Agent } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { startApp, type TestApp } from '../support/app.js';
import { databaseUrl } from '../support/databases.js';
import { ProfiledService } from '../support/files-of-request.js';
import { AMPLE } from '../support/folders.js';
import { ask, JSON_TYPE } from '../support/http.js';

/** How many files of the service one request runs in at most, once the service is warm. A revocation wakes the delivery of events. */
const BOUNDS = { getPet: 46, createPet: 56, listPets: 32, refusal: 27, revocation: 53, revokedElsewhere: 39 };

const FORGET = 'auth/authentication/key-verifier.js#forget';
/** Longer than the interval of the poll for changes of keys, and of most other timers. */
const MOST_TIMERS_MS = 1_100;

/** One connection, as clients keep it. */
const agent = new Agent({ keepAlive: true });
let other: TestApp;
let service: ProfiledService;
let key: string;
let poorKey: string;
let managerKey: string;

beforeAll(async () => {
  other = await startApp();
  key = await other.key(AMPLE);
  poorKey = await other.key({ ...AMPLE, perMinute: 1 });
  managerKey = await other.key({ ...AMPLE, scopes: ['pets:read', 'keys:manage'] });
  const { folder } = other;
  service = await ProfiledService.start({ folder, env: { DATABASE_URL: databaseUrl(folder) } });
});
afterAll(async () => {
  agent.destroy();
  await service.stop();
  await other.stop();
});

async function call<Body>(status: number, as: string, path: string, method = 'GET', json?: string): Promise<Body> {
  const headers = json === undefined ? {} : JSON_TYPE;
  const response = await ask(service.process.port, { method, path, key: as, headers, body: json }, agent);
  const body = await response.text();
  expect({ status: response.status, body }).toEqual({ status, body: expect.any(String) });
  return (body === '' ? undefined : JSON.parse(body)) as Body;
}

const createPet = () => call<{ id: number }>(201, key, '/v1/pets', 'POST', '{"name":"Bella","categoryId":1}');

/** Changes of keys are looked for while there are requests. */
const askSomething = () => call(401, 'none', '/v1/pets');

const FLOWS: Record<keyof typeof BOUNDS, () => Promise<string[]>> = {
  getPet: () => service.filesOf(({ id }) => call(200, key, `/v1/pets/${id}`), { prepare: createPet }),
  createPet: () => service.filesOf(createPet),
  listPets: () => service.filesOf(() => call(200, key, '/v1/pets')),
  async refusal() {
    await call(200, poorKey, '/v1/pets');
    return service.filesOf(() => call(429, poorKey, '/v1/pets'));
  },
  revocation: () =>
    service.filesOf(({ id }) => call(204, managerKey, `/v1/keys/${id}`, 'DELETE'), {
      prepare: () => call<{ id: string }>(201, managerKey, '/v1/keys', 'POST', '{}'),
    }),
  revokedElsewhere: () =>
    service.filesOf(
      async ({ id, key: revoked }) => {
        await service.untilRun(FORGET, () => other.app.get(KeysService).revoke(id).finally(askSomething));
        await call(401, revoked, '/v1/pets');
      },
      {
        async prepare() {
          const created = await service.untilRun(FORGET, () => other.createKey().finally(askSomething));
          await call(200, created.key, '/v1/pets');
          return created;
        },
        idleMs: MOST_TIMERS_MS,
      },
    ),
};

it.each(Object.entries(BOUNDS))('%s runs in at most %i files', async (flow, bound) => {
  const files = await FLOWS[flow as keyof typeof BOUNDS]();
  expect(files).toContain('rate-limit/plan-throttler.guard.js');
  // A failure shows them all.
  expect(files.length > bound ? files : []).toEqual([]);
});
