import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { databaseUrl, queryDatabase } from '../support/databases.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';
import { captureOutput, linesOf, type LogLine } from '../support/main-program.js';
import { Database } from '../../src/database/database.js';
import { DEFAULT_SCOPES } from '../../src/auth/keys/scopes.js';
import { Clock } from '../../src/platform/config/clock.js';
import { until } from '../support/until.js';

/* In these tests another session holds the lock as long as the test needs. */

const WAITING =
  "SELECT FROM pg_stat_activity WHERE application_name = 'petstore' AND datname = current_database() AND wait_event_type = 'Lock'";

/** Requests of one account at once. */
const BURST = 40;

const output = captureOutput();
let holder: Client;

// The service waits as long as a test holds the lock.
const env = { DATABASE_TIMEOUT_MS: '10000', SLOW_STATEMENT_MS: '100', LOG_LEVEL: 'warn' };
shareApp({ clock: new Clock(), env }, { ...AMPLE, scopes: [...DEFAULT_SCOPES, 'keys:manage'] });

beforeEach(async () => {
  holder = new Client({ connectionString: databaseUrl(service.folder) });
  await holder.connect();
  await holder.query('BEGIN');
});
afterEach(() => holder.end());

const send = (method: string, path: string, body?: object, headers: Record<string, string> = JSON_TYPE) =>
  service.request(path, { key, method, headers, ...(body && { body: JSON.stringify(body) }) });

const isList = ({ statement }: LogLine) => /^SELECT .*"pets"/.test(String(statement));
const slow = () => linesOf(output(), '"slow statement"').find(isList);

// Before others, as the log has each slow statement once.
describe('a slow statement', () => {
  it('is logged with the session that blocks it', async () => {
    await holder.query(`SET application_name = 'nightly-report'; LOCK TABLE "pets" IN ACCESS EXCLUSIVE MODE`);
    const listed = service.request('/v1/pets?limit=3', { key });
    await until(() => slow() !== undefined);
    await holder.query('ROLLBACK');
    expect(slow()).toMatchObject({
      level: 'warn',
      blockers: [{ application: 'nightly-report', state: 'idle in transaction', pid: expect.any(Number) }],
    });
    expect((await listed).status).toBe(200);
  });
});

describe('changeCategory', () => {
  it('refuses an ETag that becomes outdated while the request waits for the category', async () => {
    await send('POST', '/v1/categories', { name: 'Dogs', id: 1 });
    const etag = (await service.request('/v1/categories/1', { key })).headers.get('etag') ?? '';
    await holder.query(`UPDATE "categories" SET "name" = 'Hunde' WHERE "id" = 1`);
    const renamed = send('PATCH', '/v1/categories/1', { name: 'Hounds' }, { ...JSON_TYPE, 'If-Match': etag });
    await until(async () => (await queryDatabase(service.folder, WAITING)).length === 1);
    await holder.query('COMMIT');
    expect((await renamed).status).toBe(412);
  });
});

const newKey = (n: number) => ({ ...JSON_TYPE, 'Idempotency-Key': `burst ${n}` });
const used = () => service.app.get(Database).connections.used;

describe('a burst of one account on rows that another session has locked', () => {
  let stranger: string;
  let keyId: string;
  const BELLA = { name: 'Bella', categoryId: 1 };

  beforeAll(async () => {
    stranger = await service.key(AMPLE);
    for (let id = 1; id <= 3; id += 1) await send('POST', '/v1/pets', { ...BELLA, status: 'available' });
    await send('POST', '/v1/categories', { name: 'Cats', id: 7 });
    await send('POST', '/v1/store/orders', { petId: 1 });
    ({ id: keyId } = (await (await send('POST', '/v1/keys', { name: 'other' })).json()) as { id: string });
  });

  const OPERATIONS: Record<string, (n: number) => Promise<Response>> = {
    createPet: () => send('POST', '/v1/pets', BELLA),
    'createPet with Idempotency-Key': (n) => send('POST', '/v1/pets', BELLA, newKey(n)),
    changePet: (n) => send('PATCH', '/v1/pets/2', { name: `Bella ${n}` }),
    removePet: () => send('DELETE', '/v1/pets/3', undefined, {}),
    createCategory: (n) => send('POST', '/v1/categories', { name: `Category ${n}` }),
    changeCategory: (n) => send('PATCH', '/v1/categories/7', { name: `Category ${n}` }),
    placeOrder: () => send('POST', '/v1/store/orders', { petId: 2 }),
    changeOrder: () => send('PATCH', '/v1/store/orders/1', { status: 'approved' }),
    createKey: (n) => send('POST', '/v1/keys', { name: `key ${n}` }),
    changeKey: (n) => send('PATCH', `/v1/keys/${keyId}`, { name: `key ${n}` }),
    rotateKey: () => send('POST', `/v1/keys/${keyId}/rotate`, { overlapSeconds: 60 }),
    revokeKey: () => send('DELETE', `/v1/keys/${keyId}`, undefined, {}),
  };

  it.each(Object.entries(OPERATIONS))('takes two connections, and leaves the others: %s', async (_, request) => {
    for (const name of ['pets', 'categories', 'key operations'])
      await holder.query(`SELECT pg_advisory_xact_lock(hashtextextended('petstore ${name}', 0))`);
    for (const table of ['pets', 'categories', 'orders']) await holder.query(`SELECT FROM "${table}" FOR UPDATE`);
    const burst = Array.from({ length: BURST }, (_unused, n) => request(n));
    await until(() => used() === 2);
    for (let round = 0; round < 5; round += 1) {
      expect((await service.request('/health/ready')).status).toBe(200);
      expect((await service.request(`/v1/pets?after=${round + 1}`, { key: stranger })).status).toBe(200);
      // What the service does in the background takes others for a moment.
      await until(() => used() === 2);
    }
    await holder.query('COMMIT');
    const statuses = (await Promise.all(burst)).map(({ status }) => status);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  });
});
