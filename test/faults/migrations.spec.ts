import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { onSharedServer } from '../support/databases.js';
import { Fleet, insertKey } from '../support/fleet.js';
import { Folders } from '../support/folders.js';
import { ask, JSON_TYPE } from '../support/http.js';
import { freePort } from '../support/servers/free-port.js';
import type { PostgresTestDatabase } from '../support/servers/postgres-test-database.js';
import { runKeys, runMain, runProgram, type ServiceProcess, startProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

const folders = new Folders();
const clients: Client[] = [];
const services: ServiceProcess[] = [];
const databases: PostgresTestDatabase[] = [];
let fleet: Fleet | undefined;

afterEach(async () => {
  await Promise.all([
    ...clients.splice(0).map((client) => client.end()),
    ...services.splice(0).map((one) => one.stop()),
    fleet?.stop(),
  ]);
  for (const database of databases.splice(0)) await database.remove();
});
afterAll(() => folders.remove());

/** Creates a database, by default without tables. */
async function createDatabase(create = (database: PostgresTestDatabase) => database.createEmpty()): Promise<string> {
  const database = onSharedServer(folders.make());
  await create(database);
  databases.push(database);
  return database.url;
}

const migrate = (url: string) =>
  runProgram('migrate.cli.js', [], { folder: folders.make(), env: { DATABASE_URL: url } });

/** Other sessions of the database. */
const othersOf = 'SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';

async function connect(url: string): Promise<Client> {
  const client = new Client(url);
  await client.connect();
  clients.push(client);
  return client;
}

async function start(url: string, env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await startProcess({ folder: folders.make(), env: { DATABASE_URL: url, ...env } });
  services.push(service);
  return service;
}

describe('migrations on PostgreSQL', () => {
  it('run by a command of their own, once, and tell which', async () => {
    const url = await createDatabase();
    const first = await migrate(url);
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(
      /"pending":\["Initial1795219200000",.*"message":"running migrations"|"message":"running migrations","pending":\["Initial/,
    );
    expect(first.stdout).toContain('"message":"no migration is pending"');
    expect((await migrate(url)).stdout).not.toContain('running migrations');
  });

  const TABLES = [
    {
      name: 'let requests pass while they wait for the lock of a table, and go on when it is free',
      undo: `DELETE FROM "migrations" WHERE "name" LIKE 'ApiKeyPauses%'; ALTER TABLE "api_keys" DROP COLUMN "paused_at"`,
      table: 'api_keys',
      write: `UPDATE "api_keys" SET "name" = 'new'`,
      isTriedAgain: true,
    },
    {
      name: 'build an index once, however long a transaction beside it is',
      undo: `DELETE FROM "migrations" WHERE "name" LIKE 'PetsByCategory%'; DROP INDEX "pets_category_id_id"`,
      table: 'pets',
      write: `INSERT INTO "pets" ("name", "category_id") VALUES ('Bella', 1)`,
      isTriedAgain: false,
    },
  ];

  it.each(TABLES)('$name', async ({ undo, table, write, isTriedAgain }) => {
    const url = await createDatabase((database) => database.create());
    const client = await connect(url);
    await client.query(undo);
    // As pg_dump does; a change of the table, and the end of an index, wait for it.
    const other = await connect(url);
    await other.query(`BEGIN; LOCK TABLE "${table}" IN ROW EXCLUSIVE MODE`);
    const migrating = migrate(url);
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until(async () => (await client.query(waiting)).rowCount === 1);
    // A write waits behind the migration, which gives up its place.
    await client.query(write);
    await other.query('COMMIT');
    const { code, stdout } = await migrating;
    expect(code).toBe(0);
    expect(stdout.includes('a migration waits for a lock')).toBe(isTriedAgain);
    const lines = stdout.trim().split('\n');
    expect(lines.filter((line) => !line.startsWith('{'))).toEqual([]);
  });

  it('end at SIGTERM', async () => {
    const url = await createDatabase();
    const other = await connect(url);
    await other.query(`SELECT pg_advisory_lock(hashtextextended('petstore migrations', 0))`);
    const port = await freePort();
    const options = { folder: folders.make(), env: { DATABASE_URL: url, PORT: String(port) } };
    const ended = await runMain(options, () => until(async () => (await other.query(othersOf)).rowCount === 1));
    expect(ended).toMatchObject({ code: 143 });
  });

  it('are waited for with MIGRATE_ON_START=false, by a service whose role cannot change the schema', async () => {
    const url = await createDatabase();
    const admin = await connect(url);
    const role = `served_${process.pid}`;
    await admin.query(`CREATE ROLE ${role} LOGIN`);
    const env = { DATABASE_URL: url.replace('//postgres@', `//${role}@`), MIGRATE_ON_START: 'false' };
    const starting = start(env.DATABASE_URL, env);
    await until(async () => (await admin.query(othersOf)).rowCount !== 0);
    await migrate(url);
    await admin.query(`
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role};
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
    const service = await starting;
    expect(service.output()).toContain('waiting for migrations, because MIGRATE_ON_START is false');
    const folder = folders.make();
    const made = await runKeys(['create', '--account', 'acme', '--plan', 'pro', '--json'], {
      folder,
      env,
    });
    const { key } = JSON.parse(made.stdout) as { key: string };
    const body = '{"name":"Bella","categoryId":1}';
    const response = await ask(service.port, { method: 'POST', path: '/v1/pets', key, headers: JSON_TYPE, body });
    expect(response.status).toBe(201);
  });
});

describe('instances that start at once on an empty database', () => {
  it('run the migrations once, create neither keys nor pets, and all accept requests', async () => {
    fleet = await Fleet.start({ instances: 3, isEmpty: true });
    const applied = await fleet.query<{ name: string }>('SELECT name FROM migrations');
    expect(applied.length).toBeGreaterThan(0);
    expect(new Set(applied.map(({ name }) => name)).size).toBe(applied.length);
    const { key } = await fleet.createKey('first', { plan: 'free' });
    const request = { method: 'POST', path: '/v1/pets', key, headers: JSON_TYPE, body: '{"name":"x","categoryId":1}' };
    const created = await ask(fleet.ports[0] ?? 0, request);
    const text = await created.text();
    expect(created.status).toBe(201);
    for (const { port, output } of fleet.instances) {
      expect(await (await ask(port, { path: '/v1/pets', key })).text()).toBe(`[${text}]`);
      expect(output()).not.toContain('psk_');
    }
  });
});

describe('a server that the service does not support', () => {
  it('is refused if it cannot store every name', async () => {
    const url = await createDatabase((database) =>
      database.createEmpty("TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'"),
    );
    const stderr = expect.stringContaining('must have the encoding UTF8, but has LATIN1');
    expect(await runMain({ folder: folders.make(), env: { DATABASE_URL: url } })).toMatchObject({ code: 1, stderr });
  });

  it('is refused if the search path has no schema', async () => {
    const url = await createDatabase();
    await (await connect(url)).query(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET search_path = nowhere`);
    const { code, stderr } = await migrate(url);
    expect([code, stderr]).toEqual([1, expect.stringContaining('No schema of the search_path exists.')]);
  });

  it('is refused if it is CockroachDB', async () => {
    const url = await createDatabase();
    const admin = await connect(url);
    await admin.query(`
      CREATE SCHEMA imitation;
      CREATE FUNCTION imitation.version() RETURNS text LANGUAGE sql AS 'SELECT ''CockroachDB CCL v26.2.1''';
      ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET search_path = imitation, pg_catalog, public`);
    expect(await migrate(url)).toMatchObject({
      code: 1,
      stderr: 'CockroachDB is not supported. The service needs PostgreSQL 14 or newer.\n',
    });
  });
});

describe('a slow statement on PostgreSQL', () => {
  it('is logged with the session that blocks it', async () => {
    const url = await createDatabase((database) => database.create());
    const service = await start(url, { SLOW_STATEMENT_MS: '100', DATABASE_TIMEOUT_MS: '1000' });
    const { key } = await insertKey(url, 'acme');
    const blocker = await connect(`${url}?application_name=nightly-report`);
    await blocker.query('BEGIN; LOCK TABLE "pets" IN ACCESS EXCLUSIVE MODE');
    expect((await ask(service.port, { path: '/v1/pets?limit=3', key })).status).toBe(503);
    // On a slow machine, other statements are slow too.
    const slow = () =>
      service
        .output()
        .split('\n')
        .find((text) => text.includes('"slow statement"') && text.includes('"pets'));
    await until(() => slow() !== undefined);
    await blocker.query('ROLLBACK');
    expect(JSON.parse(slow() ?? '')).toMatchObject({
      level: 'warn',
      statement: expect.stringMatching(/^SELECT .*"pets"/),
      blockers: [{ application: 'nightly-report', state: 'idle in transaction', pid: expect.any(Number) }],
    });
  });
});
