import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { startApp, type TestApp } from '../support/app.js';
import { databaseUrl, queryDatabase } from '../support/databases.js';
import { JSON_TYPE } from '../support/http.js';

/* In these tests another session holds the lock as long as the test needs. */

const WAITING =
  "SELECT FROM pg_stat_activity WHERE application_name = 'petstore' AND datname = current_database() AND wait_event_type = 'Lock'";

let service: TestApp;
let key: string;
let holder: Client;

beforeAll(async () => {
  // The service waits as long as a test holds the lock.
  service = await startApp({ env: { DATABASE_TIMEOUT_MS: '10000' } });
  key = await service.key();
});
afterAll(() => service.stop());

beforeEach(async () => {
  holder = new Client({ connectionString: databaseUrl(service.folder) });
  await holder.connect();
  await holder.query('BEGIN');
});
afterEach(() => holder.end());

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
    await service.post('/v1/categories', key, '{"name":"Dogs","id":1}');
    const etag = await etagOf(1);
    await holder.query(`UPDATE "categories" SET "name" = 'Hunde' WHERE "id" = 1`);
    const renamed = rename(1, 'Hounds', etag);
    await untilWaiting(1);
    await holder.query('COMMIT');
    expect((await renamed).status).toBe(412);
  });
});
