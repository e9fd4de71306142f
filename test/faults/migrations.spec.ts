import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { commandLineDataSource } from '../../src/database/database.module.js';
import { databaseParts } from '../../src/database-parts.js';
import { ask, JSON_TYPE } from '../support/http.js';
import { freePort } from '../support/servers/free-port.js';
import { PostgresTestDatabase } from '../support/servers/postgres-test-database.js';
import { type Ended, runProgram, startProcess } from '../support/service-process.js';
import { shareFolder } from '../support/share-folder.js';
import { until } from '../support/until.js';

const folder = shareFolder();
const clients: Client[] = [];
const databases: PostgresTestDatabase[] = [];
/** A database, and the command that migrated it. */
let url: string;
let first: Ended;

beforeAll(async () => {
  ({ url } = await createDatabase());
  first = await migrate(url);
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await Promise.all(databases.map((database) => database.remove()));
});

async function createDatabase(): Promise<PostgresTestDatabase> {
  const database = await PostgresTestDatabase.empty();
  databases.push(database);
  return database;
}

const migrate = (database: string) => runProgram('migrate.cli.js', [], { folder, env: { DATABASE_URL: database } });

/** The service's own connections: PostgreSQL's vacuum of a new database is one too. */
const SERVICE = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'petstore'`;

async function connect(database: string): Promise<Client> {
  const client = new Client(database);
  await client.connect();
  clients.push(client);
  return client;
}

const pendingOf = ({ stdout }: Ended) => /"pending":\[([^\]]*)\]/.exec(stdout)?.[1] ?? '';

describe('migrations on PostgreSQL', () => {
  it('run by a command of their own, and tell which', () => {
    expect(first.code).toBe(0);
    expect(first.stdout).toContain('"message":"running migrations"');
    expect(pendingOf(first)).toMatch(/^"Initial1795219200000",/);
    expect(first.stdout).toContain('"message":"no migration is pending"');
  });

  const TABLES = [
    {
      name: 'let requests pass while they wait for the lock of a table, and go on when it is free',
      migration: 'ApiKeyPauses',
      undo: `ALTER TABLE "api_keys" DROP COLUMN "paused_at"`,
      table: 'api_keys',
      write: `UPDATE "api_keys" SET "name" = 'new'`,
      isTriedAgain: true,
    },
    {
      name: 'build an index once, however long a transaction beside it is',
      migration: 'PetsByCategory',
      undo: `DROP INDEX "pets_category_id_id"`,
      table: 'pets',
      write: `INSERT INTO "pets" ("name", "category_id") VALUES ('Bella', 1)`,
      isTriedAgain: false,
    },
  ];

  it.each(TABLES)('$name', async ({ migration, undo, table, write, isTriedAgain }) => {
    const client = await connect(url);
    await client.query(`DELETE FROM "migrations" WHERE "name" LIKE '${migration}%'; ${undo}`);
    // As pg_dump does; a change of the table, and the end of an index, wait for it.
    const other = await connect(url);
    await other.query(`BEGIN; LOCK TABLE "${table}" IN ROW EXCLUSIVE MODE`);
    const migrating = migrate(url);
    const waiting = `${SERVICE} AND wait_event_type = 'Lock'`;
    await until(async () => (await client.query(waiting)).rowCount === 1);
    // A write waits behind the migration, which gives up its place.
    await client.query(write);
    // It tries again, so it has logged who holds the lock.
    await until(async () => (await client.query(waiting)).rowCount === 1);
    const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS "pid"');
    await other.query('COMMIT');
    const ended = await migrating;
    expect(ended.code).toBe(0);
    // Those that ran do not run again.
    expect(pendingOf(ended)).toMatch(new RegExp(`^"${migration}\\d+"$`));
    expect(ended.stdout.includes('a migration waits for a lock')).toBe(isTriedAgain);
    // On a slow machine, the write is among them.
    expect(new RegExp(`"holders":\\[[^\\]]*"pid":${rows[0]?.pid},`).test(ended.stdout)).toBe(isTriedAgain);
    const lines = ended.stdout.trim().split('\n');
    expect(lines.filter((line) => !line.startsWith('{'))).toEqual([]);
  });

  it.each([
    ['main.js', 'SIGTERM', 143],
    ['main.js', 'SIGINT', 130],
    ['migrate.cli.js', 'SIGTERM', 143],
    ['migrate.cli.js', 'SIGINT', 130],
  ] as const)(
    'end at a signal, which the first process of a container would ignore: %s, %s',
    async (file, signal, code) => {
      const database = await createDatabase();
      const other = await connect(database.url);
      await other.query(`SELECT pg_advisory_lock(hashtextextended('petstore migrations', 0))`);
      const options = { folder, env: { DATABASE_URL: database.url, PORT: String(await freePort()) } };
      const ended = runProgram(file, [], options, async (kill) => {
        await until(async () => (await other.query(SERVICE)).rowCount === 1);
        kill(signal);
      });
      expect(await ended).toMatchObject({ code });
    },
  );

  it('can all be reverted, and run again', async () => {
    const database = await createDatabase();
    const dataSource = await commandLineDataSource(database.url, databaseParts([])).initialize();
    const { length } = dataSource.migrations;
    await dataSource.runMigrations();
    for (let n = 0; n < length; n += 1) await dataSource.undoLastMigration();
    expect(await dataSource.query('SELECT FROM "migrations"')).toEqual([]);
    await dataSource.runMigrations();
    expect(await dataSource.query('SELECT FROM "migrations"')).toHaveLength(length);
    await dataSource.destroy();
  });

  it('are waited for with MIGRATE_ON_START=false, by a service whose role cannot change the schema', async () => {
    const database = await createDatabase();
    const admin = await connect(database.url);
    const role = `served_${process.pid}`;
    await admin.query(`CREATE ROLE ${role} LOGIN`);
    const env = { DATABASE_URL: database.url.replace('//postgres@', `//${role}@`), MIGRATE_ON_START: 'false' };
    const starting = startProcess({ folder, env });
    await until(async () => (await admin.query(SERVICE)).rowCount !== 0);
    await migrate(database.url);
    await admin.query(`
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role};
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
    const service = await starting;
    expect(service.output()).toContain('waiting for migrations, because MIGRATE_ON_START is false');
    // The keys program needs no Redis.
    const withoutRedis = { ...env, REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
    const made = await runProgram('keys.cli.js', ['create', '--account', 'acme', '--plan', 'pro', '--json'], {
      folder,
      env: withoutRedis,
    });
    const { key } = JSON.parse(made.stdout) as { key: string };
    const body = '{"name":"Bella","categoryId":1}';
    const response = await ask(service.port, { method: 'POST', path: '/v1/pets', key, headers: JSON_TYPE, body });
    expect(response.status).toBe(201);
    await service.stop('SIGKILL');
  });
});

describe('CockroachDB', () => {
  it('is refused', async () => {
    const database = await createDatabase();
    const admin = await connect(database.url);
    await admin.query(`
      CREATE SCHEMA imitation;
      CREATE FUNCTION imitation.version() RETURNS text LANGUAGE sql AS 'SELECT ''CockroachDB CCL v26.2.1'''`);
    await database.set('search_path = imitation, pg_catalog, public');
    expect(await migrate(database.url)).toMatchObject({
      code: 1,
      stderr: 'CockroachDB is not supported. The service needs PostgreSQL 14 or newer.\n',
    });
  });
});
