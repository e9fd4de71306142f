import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recountPets } from '../../src/categories/index.js';
import { commandLineDataSource, Database, MIGRATIONS } from '../../src/database/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { categoryCounts } from '../support/category-counts.js';
import { databaseUrl, makeFolder, openDatabase, queryDatabase } from '../support/databases.js';
import { AMPLE } from '../support/folders.js';
import { concurrently, JSON_TYPE } from '../support/http.js';
import { runRecount } from '../support/service-process.js';

/** Pets that are added, changed and removed while they are counted. */
const TRAFFIC = 200;

const folder = makeFolder();
const run = (sql: string) => queryDatabase(folder, sql);
let service: TestApp;

/** What the version before the one that refuses negative counts left behind, with counts that are off in every way. */
async function leaveWrongCounts(): Promise<void> {
  const migrations = MIGRATIONS.filter(({ name }) => !name.startsWith('CategoryCountsNotNegative'));
  const dataSource = commandLineDataSource(await openDatabase(folder), { entities: [] }).setOptions({ migrations });
  await dataSource.initialize();
  await dataSource.runMigrations();
  await dataSource.destroy();
  const pets = [`1, 'available'`, `1, NULL`, `2, 'sold'`, `3, 'pending'`, `9223372036854775807, 'sold'`, '-4, NULL'];
  const columns = '"name", "category_id", "status"';
  for (const pet of pets) await run(`INSERT INTO "pets" (${columns}) VALUES ('x', ${pet})`);
  const counts = ['1, 1, 0, 0, 1', '2, -3, 0, 1, 0', '3, 0, 0, 0, 0', '-4, 5, 5, 5, 5', '77, 0, -1, 0, 9'];
  for (const row of counts) await run(`INSERT INTO "category_counts" VALUES (${row})`);
}

async function spoilCounts(): Promise<void> {
  await run('UPDATE "category_counts" SET "available" = "available" + 7, "none" = 0 WHERE "category_id" < 3');
  await run('DELETE FROM "category_counts" WHERE "category_id" = 3');
  await run(
    'INSERT INTO "category_counts" VALUES (78, 1, 2, 3, 4) ON CONFLICT ("category_id") DO UPDATE SET "sold" = 3',
  );
}

const anyPet = () => `{"name":"x","categoryId":${Math.floor(Math.random() * 5)},"status":"available"}`;
const recount = () => service.app.get(Database).write(recountPets);

beforeAll(async () => {
  await leaveWrongCounts();
  service = await startApp({ folder });
});
afterAll(() => service.stop());

describe('an upgrade', () => {
  it('corrects wrong counts, and keeps used identifiers', async () => {
    const { counted, real } = await categoryCounts(folder);
    expect(real).toHaveLength(5);
    expect(counted).toEqual(real);
    expect(await run('SELECT "available", "none" FROM "category_counts" WHERE "category_id" = 77')).toMatchObject([{}]);
  });
});

describe('the counts of a category', () => {
  it('cannot become negative', async () => {
    const before = await categoryCounts(folder);
    await expect(run('UPDATE "category_counts" SET "sold" = -1 WHERE "category_id" = 2')).rejects.toThrow('negative');
    await expect(run('INSERT INTO "category_counts" VALUES (79, 0, 0, 0, -1)')).rejects.toThrow('negative');
    expect(await categoryCounts(folder)).toEqual(before);
  });

  it('change with pets that leave a category', async () => {
    const key = await service.key();
    const move = { method: 'PATCH', key, headers: JSON_TYPE, body: '{"categoryId":2,"status":"pending"}' };
    expect((await service.request('/v1/pets/1', move)).status).toBe(200);
    expect((await service.request('/v1/pets/2', { method: 'DELETE', key })).status).toBe(204);
    const { counted, real } = await categoryCounts(folder);
    expect(counted).toEqual(real);
  });
});

describe('a recount', () => {
  it('corrects the counts while pets are created, changed and removed', async () => {
    const key = await service.key(AMPLE);
    const add = () => service.post('/v1/pets', key, anyPet());
    await concurrently(
      Array.from({ length: TRAFFIC }, () => add),
      20,
    );
    await spoilCounts();
    const change = (id: number) => () => {
      const path = `/v1/pets/${id}`;
      const patch = { method: 'PATCH', key, headers: JSON_TYPE, body: `{"categoryId":${id % 5},"status":"pending"}` };
      if (id % 3 === 0) return service.request(path, { method: 'DELETE', key });
      return id % 3 === 1 ? service.request(path, patch) : add();
    };
    const traffic = concurrently(
      Array.from({ length: TRAFFIC }, (_, n) => change(n + 7)),
      20,
    );
    const recounts = await Promise.all([recount(), recount(), recount()]);
    const responses = await traffic;
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 201, 204]));
    expect(recounts.toSorted((one, other) => one - other)).toEqual([0, 0, expect.any(Number)]);
    expect(Math.max(...recounts)).toBeGreaterThan(3);
    const { counted, real } = await categoryCounts(folder);
    expect(counted).toEqual(real);
  });

  it('can run beside the service', async () => {
    await spoilCounts();
    const options = { folder, env: { DATABASE_URL: databaseUrl(folder) } };
    const first = await runRecount(options);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Corrected categories: [1-9][0-9]*\n$/) });
    const { counted, real } = await categoryCounts(folder);
    expect(counted).toEqual(real);
    expect(await runRecount(options)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Corrected categories: 0\n$/),
    });
  });
});
