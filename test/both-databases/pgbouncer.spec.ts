import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Database } from '../../src/database/database.js';
import { startApp, type TestApp } from '../support/app.js';
import { makeFolder } from '../support/databases.js';
import { describeWith } from '../support/describe-with.js';
import { AMPLE } from '../support/temporary.js';
import { PgBouncer } from '../support/servers/pgbouncer.js';
import type { PostgresTestDatabase } from '../support/servers/postgres-test-database.js';
import { until } from '../support/until.js';

/** All sessions of a database, so that statements and transactions of all services change between them. */
const SESSIONS = 2;
const TIMEOUT_MS = 2_000;
const ROUNDS = 20;

/** What services set, and locks that last longer than a transaction. */
const STATE = `
  SELECT current_setting('statement_timeout') AS "statement", current_setting('lock_timeout') AS "lock",
    current_setting('idle_in_transaction_session_timeout') AS "idle", current_setting('jit') AS "jit",
    current_setting('TimeZone') AS "zone", (SELECT count(*)::int FROM pg_prepared_statements) AS "prepared",
    (SELECT count(*)::int FROM pg_locks WHERE "locktype" = 'advisory' AND "pid" = pg_backend_pid()) AS "locks"`;

const UNTOUCHED = { statement: '0', lock: '0', idle: '0', jit: 'on', zone: expect.any(String), prepared: 0, locks: 0 };

describeWith('pgbouncer', '--version')('services behind PgBouncer in the mode transaction', () => {
  const serverUrl = new URL('/postgres', String(process.env['TEST_POSTGRES_URL'])).href;
  const databases: PostgresTestDatabase[] = [];
  const services: TestApp[] = [];
  let bouncer: PgBouncer;

  beforeAll(async () => {
    bouncer = await PgBouncer.start(serverUrl, SESSIONS);
    databases.push(bouncer.database(serverUrl), bouncer.database(serverUrl));
    const env = { DATABASE_TIMEOUT_MS: String(TIMEOUT_MS) };
    // Two instances with one database that they migrate themselves, and a service with another one.
    const [empty, other] = databases;
    await empty?.createEmpty();
    const start = (database = other) => startApp({ folder: makeFolder(), env, ...(database && { database }) });
    services.push(...(await Promise.all([start(empty), start(empty), start()])));
  });
  afterAll(async () => {
    for (const service of services) await service.stop({ keepData: true });
    for (const database of databases) await database.remove();
    await bouncer.stop();
  });

  it('read and write, each in its database', async () => {
    const found = await Promise.all(
      services.map(async (service) => {
        const key = await service.key(AMPLE);
        const names = Array.from({ length: ROUNDS }, (_, round) => `pet ${round} of ${service.port}`);
        const added = await Promise.all(
          names.map((name) => service.post('/v1/pets', key, JSON.stringify({ name, categoryId: 1 }))),
        );
        expect(new Set(added.map(({ status }) => status))).toEqual(new Set([201]));
        const pets = await (await service.request('/v1/pets?limit=100', { key })).json();
        return (pets as { name: string }[]).filter(({ name }) => names.includes(name)).length;
      }),
    );
    expect(found).toEqual(services.map(() => ROUNDS));
  });

  it('leave nothing on the sessions that they share with others', async () => {
    for (const database of databases) {
      const states = await Promise.all(Array.from({ length: ROUNDS }, () => database.query<object>(STATE)));
      expect(states.flat()).toEqual(Array.from({ length: ROUNDS }, () => UNTOUCHED));
    }
  });

  it('limit the statements of a transaction in the database', async () => {
    const [service] = services;
    const state = await service?.app.get(Database).write((manager) => manager.query<object[]>(STATE));
    expect(state).toMatchObject([{ statement: '2s', lock: '0', idle: '3s' }]);
  });

  it('end a statement that takes too long in the database too', async () => {
    const [service] = services;
    const slow = service?.app.get(Database).query('SELECT pg_sleep(600)');
    await expect(slow).rejects.toHaveProperty('code', 'service_unavailable');
    const running = `SELECT FROM pg_stat_activity WHERE "state" = 'active' AND "query" = 'SELECT pg_sleep(600)'`;
    await until(async () => (await databases[0]?.query(running))?.length === 0);
    expect(await service?.app.get(Database).query('SELECT 1 AS "one"')).toEqual([{ one: 1 }]);
  });
});
