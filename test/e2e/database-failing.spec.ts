import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SqliteError } from 'sqlite-driver';
import { DataSource } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { KeyChangesPoller } from '../../src/auth/authentication/key-changes.poller.js';
import { PetsService } from '../../src/index.js';
import { PetsRepository } from '../../src/pets/pets.repository.js';
import { FakeClock, trio } from '../support/app.js';
import { errorOf, expectTrio } from '../support/expectations.js';
import { key, service, shareApp } from '../support/folders.js';
import { type Ask, ask, JSON_TYPE } from '../support/http.js';

const CREATE: Ask = { method: 'POST', path: '/v1/pets', headers: JSON_TYPE, body: '{"name":"x","categoryId":1}' };

const clock = new FakeClock();
shareApp({ clock });
afterEach(() => void jest.restoreAllMocks());

describe('a database that cannot be written', () => {
  it('makes only creates return 503, with Retry-After and the rate-limit headers, until it recovers', async () => {
    const { databaseConnection } = service.app.get(DataSource).driver as BetterSqlite3Driver;
    databaseConnection.pragma('query_only = ON');
    const refused = await ask(service.port, { ...CREATE, key });
    const read = await ask(service.port, { path: '/v1/pets', key });
    databaseConnection.pragma('query_only = OFF');
    expect(await errorOf(refused)).toMatchObject({ status: 503, code: 'service_unavailable' });
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    expectTrio(refused);
    expect(read.status).toBe(200);
    expect((await ask(service.port, { ...CREATE, key })).status).toBe(201);
  });
});

describe('creates that fail together because the database is unavailable', () => {
  it('are not repeated one by one', async () => {
    const { databaseConnection } = service.app.get(DataSource).driver as BetterSqlite3Driver;
    const writes = jest.spyOn(service.app.get(PetsRepository), 'insert');
    databaseConnection.pragma('query_only = ON');
    const pet = { name: 'x', categoryId: 1 };
    const refused = await Promise.allSettled(
      Array.from({ length: 20 }, () => service.app.get(PetsService).create(pet)),
    );
    databaseConnection.pragma('query_only = OFF');
    for (const outcome of refused)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'service_unavailable' } });
    expect(writes).toHaveBeenCalledTimes(1);
  });
});

/** Makes the connections fail as SQLite does where the disk does. */
function failReads(): void {
  jest.spyOn(BetterSqlite3QueryRunner.prototype, 'query').mockImplementation(async () => {
    throw new SqliteError('disk I/O error: /var/lib/petstore', 'SQLITE_IOERR_READ');
  });
}

describe('a database that cannot be read', () => {
  it('makes uncached reads return 503, with Retry-After and the rate-limit headers, until it recovers', async () => {
    failReads();
    const response = await ask(service.port, { path: '/v1/pets?after=4711', key });
    expect(response.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    expectTrio(response);
    const body = await errorOf(response);
    expect(body).toMatchObject({ status: 503, code: 'service_unavailable' });
    expect(body.message).not.toContain('/var/lib');
    jest.restoreAllMocks();
    expect((await ask(service.port, { path: '/v1/pets?after=4711', key })).status).toBe(200);
  });

  it('keeps known keys admitted', async () => {
    await service.app.get(KeyChangesPoller).poll();
    expect((await ask(service.port, { path: '/v1/nothing', key })).status).toBe(404);
    failReads();
    for (const seconds of [0, 61, 3600, 86_400]) {
      clock.advanceSeconds(seconds);
      expect((await ask(service.port, { path: '/v1/nothing', key })).status).toBe(404);
    }
  });

  it('returns 503 for an unknown key, not 401, without using the quota of the address', async () => {
    failReads();
    const first = await ask(service.port, { path: '/v1/pets', key: generateApiKey('live') });
    const second = await ask(service.port, { path: '/v1/pets', key: generateApiKey('live') });
    expect(first.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    expectTrio(first);
    expect(await errorOf(first)).toMatchObject({ status: 503, code: 'service_unavailable' });
    expect(trio(second)).toEqual(trio(first));
  });

  it('returns 401 to a request without a key', async () => {
    failReads();
    expect((await ask(service.port, { path: '/v1/pets' })).status).toBe(401);
    expect((await ask(service.port, { path: '/v1/pets', key: 'nonsense' })).status).toBe(401);
  });

  it('makes the service not ready, but live', async () => {
    failReads();
    const ready = await ask(service.port, { path: '/health/ready' });
    expect(ready.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    expect(await errorOf(ready)).toMatchObject({ status: 503, code: 'service_unavailable' });
    expect((await ask(service.port, { path: '/health/live' })).status).toBe(200);
  });
});
