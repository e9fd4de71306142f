import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { startApp, type TestApp } from '../support/app.js';
import { databaseUrl, queryDatabase } from '../support/databases.js';
import { JSON_TYPE } from '../support/http.js';

/*
 * On PostgreSQL, a statement that waits for a lock continues with its old snapshot, except for the rows it locked. In
 * these tests another session holds the lock as long as the test needs.
 */

const WAITING = "SELECT FROM pg_stat_activity WHERE application_name = 'petstore' AND wait_event_type = 'Lock'";

let service: TestApp;
let key: string;
let holder: Client;

beforeAll(async () => {
  // The service waits as long as a test holds the lock.
  service = await startApp({ env: { DATABASE_STATEMENT_TIMEOUT_MS: '10000' } });
  key = await service.key();
});
afterAll(() => service.stop());

beforeEach(async () => {
  holder = new Client({ connectionString: databaseUrl(service.folder) });
  await holder.connect();
  await holder.query('BEGIN');
});
afterEach(() => holder.end());

const addPet = (categoryId: number) => service.post('/v1/pets', key, `{"name":"x","categoryId":${categoryId}}`);
const addCategory = (id: number) => service.post('/v1/categories', key, `{"name":"Dogs","id":${id}}`);

async function etagOf(id: number): Promise<string> {
  return (await service.request(`/v1/categories/${id}`, { key })).headers.get('etag') ?? '';
}

function rename(id: number, name: string, ifMatch: string): Promise<Response> {
  const headers = { ...JSON_TYPE, 'If-Match': ifMatch };
  return service.request(`/v1/categories/${id}`, { key, method: 'PATCH', headers, body: JSON.stringify({ name }) });
}

async function untilWaiting(requests: number): Promise<void> {
  while ((await queryDatabase(service.folder, WAITING)).length < requests) await delay(5);
}

describe('changeCategory', () => {
  it('refuses an ETag that becomes outdated while the request waits for the category', async () => {
    await addCategory(1);
    await addPet(1);
    const etag = await etagOf(1);
    await holder.query('SELECT FROM "categories" WHERE "id" = 1 FOR UPDATE');
    const renamed = rename(1, 'Hounds', etag);
    await untilWaiting(1);
    expect((await addPet(1)).status).toBe(201);
    await holder.query('COMMIT');
    expect((await renamed).status).toBe(412);
  });

  it.each([
    [2, 'has pets already', (id: number) => addPet(id)],
    [3, 'has no pets yet', () => undefined],
  ])('waits for a new pet in category %i, which %s, and refuses the old ETag', async (id, _, prepare) => {
    await addCategory(id);
    await prepare(id);
    const etag = await etagOf(id);
    await holder.query(`INSERT INTO "category_counts" VALUES (${id}, 1, 0, 0, 0)
      ON CONFLICT ("category_id") DO UPDATE SET "available" = "category_counts"."available" + 1`);
    const renamed = rename(id, 'Hounds', etag);
    await untilWaiting(1);
    await holder.query('COMMIT');
    expect((await renamed).status).toBe(412);
  });

  it('blocks changes of the counts from its check to its end', async () => {
    await addCategory(4);
    const etag = await etagOf(4);
    // A rename must wait for this lock after its check.
    await holder.query('LOCK TABLE "categories" IN SHARE MODE');
    const renamed = rename(4, 'Hounds', etag);
    await untilWaiting(1);
    const added = addPet(4);
    expect(await Promise.race([added.then(() => 'added'), untilWaiting(2).then(() => 'waits')])).toBe('waits');
    await holder.query('COMMIT');
    const [change, pet] = await Promise.all([renamed, added]);
    expect([change.status, pet.status]).toEqual([200, 201]);
    expect(await change.json()).toMatchObject({ name: 'Hounds', pets: { total: 0 } });
  });
});
