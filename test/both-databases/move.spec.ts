import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseParts, migrate } from '../../src/database-parts.js';
import { moveToPostgres } from '../../src/database/move-to-postgres.js';
import type { Env } from '../../src/platform/config/env.js';
import { loadEnv } from '../../src/platform/config/load-env.js';
import { runMove } from '../../src/programs/run-move.js';
import { SqliteTestDatabase } from '../../src/testing/test-database.js';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { makeFolder, onSharedServer } from '../support/databases.js';
import { NOTES } from '../support/notes.module.js';
import { programIo, type Ran } from '../support/keys-command-line.js';

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
      stderr: expect.stringMatching(/^The target is not empty: its table/),
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
    await expect(moveAll()).rejects.toThrow(/^The target lacks migrations: Notes\d+\. Run those of your extensions/);
    await migrate(toEnv, [NOTES]);
    await from.query('CREATE TABLE "by_hand" ("text" TEXT)');
    await expect(moveAll()).rejects.toThrow('The target has no table by_hand, which no migration creates.');
    await from.query('DROP TABLE "by_hand"');
    expect(await moveAll()).toContainEqual({ table: 'notes', rows: 1 });
    expect(await to.query('SELECT "text" FROM "notes"')).toEqual([{ text: 'kept' }]);
    await Promise.all([from.remove(), to.remove()]);
  });
});
