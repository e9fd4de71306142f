import { join } from 'node:path';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import Sqlite, { SqliteError } from 'sqlite-driver';
import { DataSource } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { Events } from '../../src/kernel.js';
import { PetsService } from '../../src/index.js';
import { FakeClock, trio } from '../support/app.js';
import { databaseOf, withoutDatabase } from '../support/databases.js';
import { errorOf, expectTrio } from '../support/expectations.js';
import { key, service, shareApp } from '../support/folders.js';
import { freshMetrics } from '../support/metrics.js';

const PET = { name: 'x', categoryId: 1 };

const clock = new FakeClock();
shareApp({ clock });
beforeAll(async () => void (await create()));

const read = (path: string, as?: string) => service.request(path, as === undefined ? {} : { key: as });
const create = (name = PET.name) => service.post('/v1/pets', key, { ...PET, name });

/** Expects a 503 that reveals nothing, and says when to try again. */
async function expectUnavailable(response: Response): Promise<void> {
  expect(response.headers.get('retry-after')).toBe('1');
  const error = await errorOf(response);
  expect(error).toMatchObject({ status: 503, code: 'service_unavailable' });
  expect(error.message).not.toContain('/var/lib');
}

/** Has the database refuse writes during some work, as one does whose disk is full. */
async function refusingWrites<T>(work: () => Promise<T>): Promise<T> {
  const { databaseConnection } = service.app.get(DataSource).driver as BetterSqlite3Driver;
  databaseConnection.pragma('query_only = ON');
  try {
    return await work();
  } finally {
    databaseConnection.pragma('query_only = OFF');
  }
}

/** Makes the connections fail as SQLite does where the disk does. */
function failReads(): void {
  jest.spyOn(BetterSqlite3QueryRunner.prototype, 'query').mockImplementation(async () => {
    throw new SqliteError('disk I/O error: /var/lib/petstore', 'SQLITE_IOERR_READ');
  });
}

const countOf = (name: string) => {
  const database = new Sqlite(join(service.folder, 'petstore.sqlite'), { readonly: true });
  const row = database.prepare('SELECT count(*) AS n FROM pets WHERE name = ?').get(name) as { n: number };
  database.close();
  return row.n;
};

it('without the file of the database, known keys are admitted, others get 503, and no write is acknowledged until it is back', async () => {
  const unknown = await service.key();
  const { length } = (await (await read('/v1/pets', key)).json()) as unknown[];
  await withoutDatabase(databaseOf(service.folder), async () => {
    for (const response of [
      await read('/v1/pets?limit=9', key),
      await create(),
      await read('/v1/pets', unknown),
      await read('/health/ready'),
    ])
      await expectUnavailable(response);
    expectTrio(await read('/v1/pets', unknown));
    expect((await read('/health/live')).status).toBe(200);
  });
  // By their route, also those that were not admitted.
  const metrics = await freshMetrics(async () => (await read('/metrics')).text());
  const labels = 'http_request_method="GET",http_route="/v1/pets",http_response_status_code="503"';
  expect(metrics).toContain(`http_server_request_duration_seconds_count{${labels}} 3\n`);
  expect((await create()).status).toBe(201);
  expect(await (await read('/v1/pets', unknown)).json()).toHaveLength(length + 1);
  expect((await read('/health/ready')).status).toBe(200);
});

describe('a database that cannot be written', () => {
  it('makes only creates return 503, with Retry-After and the rate-limit headers, until it recovers', async () => {
    const [refused, found] = await refusingWrites(() => Promise.all([create(), read('/v1/pets', key)]));
    expectTrio(refused);
    await expectUnavailable(refused);
    expect(found.status).toBe(200);
    expect((await create()).status).toBe(201);
  });

  it('is not asked again for each of the creates that fail together', async () => {
    // Asked once for each attempt. Background tasks write too, but raise no pets.
    const attempts = jest.spyOn(service.app.get(Events, { strict: false }), 'needsTransaction');
    const pets = service.app.get(PetsService);
    const outcomes = await refusingWrites(() => Promise.allSettled(Array.from({ length: 20 }, () => pets.create(PET))));
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'service_unavailable' } });
    expect(attempts).toHaveBeenCalledTimes(1);
  });
});

describe('a database that cannot be read', () => {
  it('returns 503 for an unknown key, not 401, without using the quota of the address', async () => {
    failReads();
    const first = await read('/v1/pets', generateApiKey('live'));
    const second = await read('/v1/pets', generateApiKey('live'));
    expectTrio(first);
    await expectUnavailable(first);
    expect(trio(second)).toEqual(trio(first));
  });

  it('returns 401 to a request without a key', async () => {
    failReads();
    expect((await read('/v1/pets')).status).toBe(401);
    expect((await read('/v1/pets', 'nonsense')).status).toBe(401);
  });
});

it('a write lock that another connection holds delays a create, which then succeeds, but no read', async () => {
  const database = new Sqlite(join(service.folder, 'petstore.sqlite'));
  await create('known');
  database.exec('BEGIN IMMEDIATE');
  let isCreated = false;
  const creating = create('patient').finally(() => (isCreated = true));
  // All while the lock is held, for no longer than a create waits for it.
  for (let n = 0; n < 10; n += 1) {
    expect((await service.request(`/v1/pets?after=${n + 1}`, { key })).status).toBe(200);
  }
  expect(isCreated).toBe(false);
  expect(countOf('patient')).toBe(0);
  database.exec('COMMIT');
  database.close();
  expect((await creating).status).toBe(201);
  expect(countOf('patient')).toBe(1);
});
