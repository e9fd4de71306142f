import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseParts, migrate } from '../../src/database-parts.js';
import { moveToPostgres } from '../../src/database/move-to-postgres.js';
import type { ColumnTypes, Extension } from '../../src/index.js';
import type { Env } from '../../src/platform/config/env.js';
import { loadEnv } from '../../src/platform/config/load-env.js';
import { messageOf } from '../../src/platform/errors/domain-error.js';
import { runMove } from '../../src/programs/run-move.js';
import { SqliteTestDatabase } from '../../src/testing/test-database.js';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { makeFolder, onSharedServer } from '../support/databases.js';
import { extensionOf, TestMigration } from '../support/extensions.js';
import { programIo, type Ran } from '../support/keys-command-line.js';
import { NOTES } from '../support/notes.module.js';

const SCOPES = ['pets:read', 'pets:write', 'categories:read', 'categories:write', 'orders:read', 'orders:write'];
const FULL = {
  plan: 'enterprise',
  perMinute: 900,
  perDay: 9_000,
  scopes: [...SCOPES, 'events:read', 'keys:manage'],
} as const;
const READS = ['/v1/pets?limit=100', '/v1/categories', '/v1/store/orders', '/v1/events?limit=100', '/v1/keys'];

const clock = new FakeClock(Date.now());
const source = new SqliteTestDatabase(makeFolder());
const target = onSharedServer(makeFolder());
let sqlite: TestApp;
let key: string;
/** Bodies, and ETags. */
let before: (string | null)[][];

async function move(from = source): Promise<Ran> {
  const { io, ran } = programIo({ DATABASE_URL: from.url, LOG_LEVEL: 'silent' });
  return ran(await runMove([target.url], io));
}

async function read(service: TestApp): Promise<(string | null)[][]> {
  return Promise.all(
    READS.map(async (path) => {
      const response = await service.request(path, { key });
      // Uses are written in the background.
      if (path === '/v1/keys') return [(await response.text()).replaceAll(/,"lastUsedAt":"[^"]+"/g, '')];
      return [await response.text(), response.headers.get('etag')];
    }),
  );
}

const createOnce = (service: TestApp) =>
  service.json<{ id: number }>('/v1/pets', {
    key,
    headers: { 'Idempotency-Key': 'once' },
    body: { name: 'Zoë "the" 🐈', categoryId: 9_223_372_036_854_775_807n, status: 'available' },
  });

class Amounts1795219360000 extends TestMigration {
  readonly statements = ({ id, decimal, uuid, tableEnd }: ColumnTypes) => [
    `CREATE TABLE "amounts" ("id" ${id}, "price" ${decimal(20, 2)}, "origin" ${uuid}, "ratio" REAL,
      "exact" ${tableEnd === '' ? 'DOUBLE PRECISION' : 'REAL'}) ${tableEnd}`,
  ];
}

const AMOUNTS = extensionOf({}, { migrations: [Amounts1795219360000] });

/** A database of each kind, both with the tables of an extension. */
async function migratedPair(extension: Extension) {
  const [from, to] = [new SqliteTestDatabase(makeFolder()), onSharedServer(makeFolder())];
  const toEnv = loadEnv({ DATABASE_URL: to.url });
  await to.createEmpty();
  for (const env of [loadEnv({ DATABASE_URL: from.url }), toEnv]) await migrate(env, [extension]);
  return {
    from,
    to,
    moveAll: () => moveToPostgres(from.path, toEnv, databaseParts([])),
    remove: () => Promise.all([from.remove(), to.remove()]),
  };
}

beforeAll(async () => {
  await target.createEmpty();
  sqlite = await startApp({ clock, database: source });
  key = await sqlite.key(FULL);
  const { body } = await createOnce(sqlite);
  await sqlite.json('/v1/pets', { key, body: { name: "O'Neil\\", categoryId: -5 } });
  await sqlite.json('/v1/categories', { key, body: { name: 'Dogs' } });
  await sqlite.json('/v1/store/orders', { key, body: { petId: body.id } });
  const removed = await sqlite.json<{ id: number }>('/v1/pets', { key, body: { name: 'gone', categoryId: 1 } });
  await sqlite.request(`/v1/pets/${removed.body.id}`, { key, method: 'DELETE' });
  before = await read(sqlite);
});
afterAll(async () => {
  await target.remove();
  await source.remove();
});

describe('npm run move', () => {
  it('copies everything to PostgreSQL, where the service continues as it was', async () => {
    await sqlite.app.close();
    const { code, stdout, stderr } = await move();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^pets: 2\n/m);
    const postgres = await startApp({ clock, database: target });
    expect(await read(postgres)).toEqual(before);
    const repeated = await createOnce(postgres);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    // 6 writes and 5 reads before, 5 reads and the repetition since.
    expect(trio(await postgres.request('/v1/pets', { key })).remaining).toBe(900 - 6 - 5 - 5 - 1 - 1);
    // That of the removed pet is not used again.
    const created = await postgres.json<{ id: number }>('/v1/pets', { key, body: { name: 'next', categoryId: 1 } });
    expect(created.body.id).toBe(4);
    await postgres.app.close();
  });

  it('refuses a target that is not empty', async () => {
    const another = new SqliteTestDatabase(makeFolder());
    await migrate(loadEnv({ DATABASE_URL: another.url }), []);
    expect(await move(another)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The target is not empty: its table \w+ has rows\. If a migration inserted them/),
    });
    await another.remove();
  });

  it('copies tables of extensions once their migrations ran on the target, and refuses them before', async () => {
    const [from, to] = [new SqliteTestDatabase(makeFolder()), onSharedServer(makeFolder())];
    const [fromEnv, toEnv] = [from, to].map(({ url }) => loadEnv({ DATABASE_URL: url })) as [Env, Env];
    const moveAll = () => moveToPostgres(from.path, toEnv, databaseParts([]));
    await to.createEmpty();
    await migrate(fromEnv, [NOTES]);
    await from.query(`INSERT INTO "notes" ("text") VALUES ('kept')`);
    await expect(moveAll()).rejects.toThrow(
      /^The target lacks migrations: Notes\d+\. Run those of your extensions .*, or use the version of the service that ran/,
    );
    await migrate(toEnv, [NOTES]);
    await to.query(`INSERT INTO "notes" ("text") VALUES ('of a migration')`);
    await expect(moveAll()).rejects.toThrow('its table notes has rows. If a migration inserted them, delete');
    await to.query('DELETE FROM "notes"');
    await from.query('CREATE TABLE "by_hand" ("text" TEXT)');
    await expect(moveAll()).rejects.toThrow('The target has no table by_hand, which no migration creates.');
    await from.query('DROP TABLE "by_hand"');
    expect(await moveAll()).toContainEqual({ table: 'notes', rows: 1 });
    expect(await to.query('SELECT "text" FROM "notes"')).toEqual([{ text: 'kept' }]);
    await Promise.all([from.remove(), to.remove()]);
  });

  it('accepts values that PostgreSQL writes in another way', async () => {
    const { from, to, moveAll, remove } = await migratedPair(AMOUNTS);
    const origin = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
    await from.query(`INSERT INTO "amounts" ("price", "origin", "ratio", "exact") VALUES
      ('12.5', '${origin.toUpperCase()}', 5.0, 5.0), ('0', NULL, 0.1, 0.30000000000000004),
      ('-0.50', NULL, -1e20, 1e23), ('100', NULL, 1000000.0, -1e-7), ('1e3', NULL, 0.0, 0.1), ('12.0', NULL, NULL, NULL)`);
    expect(await moveAll()).toContainEqual({ table: 'amounts', rows: 6 });
    const numbers = 'SELECT "ratio", "exact" FROM "amounts" ORDER BY "id"';
    expect(await to.query(numbers)).toEqual(await from.query(numbers));
    const prices = await to.query<{ price: string }>('SELECT "price" FROM "amounts" ORDER BY "id"');
    expect(prices.map(({ price }) => price)).toEqual(['12.50', '0.00', '-0.50', '100.00', '1000.00', '12.00']);
    expect(await to.query('SELECT "origin" FROM "amounts" WHERE "id" = 1')).toEqual([{ origin }]);
    await remove();
  });

  it('names columns that PostgreSQL would round, and copies nothing', async () => {
    const { from, to, moveAll, remove } = await migratedPair(AMOUNTS);
    await from.query(`INSERT INTO "amounts" ("price", "ratio", "exact") VALUES ('0.125', 0.123456789, 0.123456789)`);
    await expect(moveAll()).rejects.toThrow('The copy of amounts differs in "price", "ratio", whose type there');
    expect(await to.query('SELECT "id" FROM "amounts"')).toEqual([]);
    await remove();
  });

  it('continues the identifiers of rows, also above those that a number has, and not those of migrations', async () => {
    const { from, to, moveAll, remove } = await migratedPair(NOTES);
    await from.query(`INSERT INTO "notes" ("id", "text") VALUES (9007199254740993, 'high')`);
    await to.query(`SELECT setval('migrations_id_seq', 900)`);
    await moveAll();
    await to.query(`INSERT INTO "notes" ("text") VALUES ('next')`);
    const next = `SELECT CAST(MAX("id") AS TEXT) AS "note", CAST(nextval('migrations_id_seq') AS TEXT) AS "migration"`;
    expect(await to.query(`${next} FROM "notes"`)).toEqual([{ note: '9007199254740994', migration: '901' }]);
    await remove();
  });

  it('copies nothing from a source that is written meanwhile', async () => {
    const { from, to, moveAll, remove } = await migratedPair(NOTES);
    const refusal = moveAll().then(String, messageOf);
    await from.query(`INSERT INTO "notes" ("text") VALUES ('late')`);
    expect(await refusal).toMatch(/^The source was written meanwhile, such as by a command line\./);
    expect(await to.query('SELECT "id" FROM "notes"')).toEqual([]);
    expect(await moveAll()).toContainEqual({ table: 'notes', rows: 1 });
    await remove();
  });
});
