import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import { Database } from '../../src/database/database.js';
import { createApp, loadEnv, Registry } from '../../src/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { makeFolder, onSharedServer, queryDatabase, removeDatabase } from '../support/databases.js';
import { makeHostile } from './hostile-defaults.js';

const POOL_SIZE = 2;
/** Enough failures to exhaust the pool if each one leaked a connection. */
const FAILURES = 3 * POOL_SIZE;
const CONNECTIONS = "SELECT FROM pg_stat_activity WHERE application_name = 'petstore' AND datname = current_database()";

let service: TestApp;

const read = () => service.app.get(Database).query<{ one: number }[]>('SELECT 1 AS "one"');

const refuse = () => Promise.reject(new Error('on purpose'));

describe('a connection of the pool', () => {
  beforeEach(async () => {
    service = await startApp({ env: { DATABASE_POOL_SIZE: String(POOL_SIZE) } });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await service.stop();
  });

  it.each<[string, string, () => void]>([
    [
      'a failure to open it',
      'temporarily unavailable',
      () => jest.spyOn(PostgresQueryRunner.prototype, 'connect').mockImplementation(refuse),
    ],
    [
      'a failure to release it',
      'on purpose',
      () => {
        const { release } = PostgresQueryRunner.prototype;
        jest.spyOn(PostgresQueryRunner.prototype, 'release').mockImplementation(function (this: PostgresQueryRunner) {
          return release.call(this).then(refuse);
        });
      },
    ],
  ])('is available for the next request after %s', async (_, message, spoil) => {
    spoil();
    for (let n = 0; n < FAILURES; n++) await expect(read()).rejects.toThrow(message);
    jest.restoreAllMocks();
    await expect(Promise.all(Array.from({ length: FAILURES }, read))).resolves.toHaveLength(FAILURES);
    // One more is for readiness.
    expect((await queryDatabase(service.folder, CONNECTIONS)).length).toBeLessThanOrEqual(POOL_SIZE + 1);
  });

  it('is counted by metrics, which have no write lock', async () => {
    await service.request('/v1/pets', { key: await service.key() });
    const text = await service.app.get(Registry).metrics();
    expect(text).toMatch(/^db_client_connections\{state="idle"\} \d+$/m);
    expect(text).toMatch(/^petstore_cache_reads_total/m);
    expect(text).not.toMatch(/^petstore_write_lock_seconds_count\{phase="held"\}/m);
  });

  it('is reused after reads, writes and failed statements', async () => {
    const database = service.app.get(Database);
    const processes = new Set<number>();
    const work = async (manager: EntityManager) => {
      const [row] = await manager.query<{ pid: number }[]>('SELECT pg_backend_pid() AS "pid"');
      processes.add(Number(row?.pid));
      return manager;
    };
    for (let n = 0; n < FAILURES; n++) {
      await work(database.manager);
      await database.write(work);
      await database.transaction(work);
      await expect(database.write(async (manager) => (await work(manager)).query('SELECT wrong'))).rejects.toThrow(
        'wrong',
      );
    }
    expect(processes.size).toBeLessThan(FAILURES);
  });

  it('is not ended by PostgreSQL while it is idle, whatever the defaults of its role', async () => {
    const folder = makeFolder();
    await makeHostile(onSharedServer(folder));
    const { app, stop } = await startApp({ folder });
    expect(await app.get(Database).query('SHOW idle_session_timeout')).toEqual([{ idle_session_timeout: '0' }]);
    await stop();
  });
});

describe('a server that the service does not support', () => {
  it.each([
    {
      flaw: 'it cannot store every name',
      options: "TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'",
      searchPath: 'public',
      message: 'must have the encoding UTF8, but has LATIN1',
    },
    {
      flaw: 'the search path has no schema',
      options: '',
      searchPath: 'nowhere',
      message: 'No schema of the search_path exists.',
    },
  ])('is refused if $flaw', async ({ options, searchPath, message }) => {
    const folder = makeFolder();
    const database = onSharedServer(folder);
    await database.createEmpty(options);
    await database.set(`search_path = ${searchPath}`);
    await expect(createApp({ env: loadEnv({ DATABASE_URL: database.url }) })).rejects.toThrow(message);
    await removeDatabase(folder);
  });
});
