import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateApiKey, hashApiKey } from '../../src/auth/api-key-format.js';
import { commandLineDataSource } from '../../src/database/index.js';
import { Initial1795219200000 } from '../../src/database/migrations/1795219200000-initial.js';
import { startApp, type TestApp } from '../support/app.js';
import { categoryCounts } from '../support/category-counts.js';
import { makeFolder, openDatabase, queryDatabase } from '../support/databases.js';

const LARGEST = '9223372036854775807';
/** Of the first version: name, category, status. */
const PETS = [
  ['Bella', '1', `'available'`],
  ['Milo', '1', 'NULL'],
  ['Luna', '1', `'available'`],
  ['Rex', LARGEST, `'sold'`],
  ['Coco', '-4', `'pending'`],
] as const;

const folder = makeFolder();
const old = generateApiKey('live');
const revoked = generateApiKey('live');
let service: TestApp;

/** What the first version, which had one migration, left behind. */
async function leaveFirstVersion(): Promise<void> {
  const first = commandLineDataSource(await openDatabase(folder), { entities: [] }).setOptions({ migrations: [Initial1795219200000] });
  await first.initialize();
  await first.runMigrations();
  await first.destroy();
  for (const [name, categoryId, status] of PETS) {
    await queryDatabase(folder, `INSERT INTO "pets" ("name", "category_id", "status") VALUES ('${name}', ${categoryId}, ${status})`);
  }
  // The last one was removed again: its identifier is spent.
  await queryDatabase(folder, `DELETE FROM "pets" WHERE "name" = 'Coco'`);
  await queryDatabase(folder, `INSERT INTO "accounts" ("name", "plan", "created_at") VALUES ('early bird', 'pro', 1795219200000)`);
  await leaveKey('key_AAAAAAAAAAAAAAAA', old, 'NULL');
  await leaveKey('key_BBBBBBBBBBBBBBBB', revoked, '1795219200001');
}

async function leaveKey(id: string, secret: string, revokedAt: string): Promise<void> {
  const values = `'${id}', 1, '${hashApiKey(secret)}', 'psk_live_…', 'pets:read pets:write', 1795219200000, ${revokedAt}`;
  await queryDatabase(folder, `INSERT INTO "api_keys" ("id", "account_id", "sha256", "masked", "scopes", "created_at", "revoked_at") VALUES (${values})`);
}

beforeAll(async () => {
  await leaveFirstVersion();
  service = await startApp({ folder });
});
afterAll(() => service.stop());

const get = async (path: string, key = old) => {
  const answer = await service.request(path, { key });
  return [answer.status, await answer.text()];
};

describe('a database of the first version', () => {
  it('has its animals after the upgrade, digit for digit, and numbers them on', async () => {
    const [bella, milo] = ['{"id":1,"name":"Bella","categoryId":1,"status":"available"}', '{"id":2,"name":"Milo","categoryId":1}'];
    const [luna, rex] = ['{"id":3,"name":"Luna","categoryId":1,"status":"available"}', `{"id":4,"name":"Rex","categoryId":${LARGEST},"status":"sold"}`];
    expect(await get('/v1/pets')).toEqual([200, `[${[bella, milo, luna, rex].join()}]`]);
    const added = await service.post('/v1/pets', old, '{"name":"Nala","categoryId":77,"status":"sold"}');
    expect(await added.json()).toEqual({ id: 6, name: 'Nala', categoryId: 77, status: 'sold' });
  });

  it('has its keys, which may do what they could', async () => {
    expect(await get('/v1/pets/4')).toEqual([200, expect.stringContaining('Rex')]);
    expect(await get('/v1/pets', revoked)).toEqual([401, expect.stringContaining('api_key_revoked')]);
    expect(await get('/v1/categories')).toEqual([403, expect.stringContaining('categories:read')]);
  });

  it('has the counts of its categories', async () => {
    const { counted, real } = await categoryCounts(folder);
    expect(counted).toEqual(real);
    const key = await service.key();
    const named = await Promise.all(['1', LARGEST, '-4'].map(async (id) => (await service.post('/v1/categories', key, `{"id":${id},"name":"n"}`)).json()));
    expect(named).toMatchObject([
      { pets: { total: 3, available: 2, pending: 0, sold: 0, none: 1 } },
      { pets: { total: 1, available: 0, pending: 0, sold: 1, none: 0 } },
      { pets: { total: 0 } },
    ]);
  });

  it('can sell its animals', async () => {
    const key = await service.key();
    expect((await service.post('/v1/store/orders', key, '{"petId":3}')).status).toBe(201);
    expect((await service.post('/v1/store/orders', key, '{"petId":4}')).status).toBe(409);
    expect(await get('/v1/pets/3')).toEqual([200, expect.stringContaining('pending')]);
  });

  it('is upgraded once', async () => {
    const again = await startApp({ folder });
    const pets = await (await again.request('/v1/pets', { key: old })).text();
    await again.stop({ keepData: true });
    expect(await get('/v1/pets')).toEqual([200, pets]);
    const names = (await queryDatabase<{ name: string }>(folder, 'SELECT "name" FROM "migrations"')).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names[0]).toBe('Initial1795219200000');
    expect(names.length).toBeGreaterThan(1);
  });
});
