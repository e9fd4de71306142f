import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DataSource, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { generateApiKey, hashApiKey } from '../../src/auth/keys/api-key-format.js';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { commandLineDataSource } from '../../src/database/database.module.js';
import { Initial1795219200000 } from '../../src/database/migrations/1795219200000-initial.js';
import { CategoryCountsUnused1795251600000 } from '../../src/database/migrations/1795251600000-category-counts-unused.js';
import { MIGRATIONS } from '../../src/database/migrations/index.js';
import { createDataSource, databaseParts } from '../../src/database-parts.js';
import { loadEnv } from '../../src/platform/config/load-env.js';
import { startApp, type TestApp } from '../support/app.js';
import { databaseUrl, makeFolder, onPostgres, onSharedServer, queryDatabase } from '../support/databases.js';
import { errorOf } from '../support/expectations.js';

const LARGEST = '9223372036854775807';
/** Of the first version: name, category, status. */
const PETS = [
  `'Bella', 1, 'available'`,
  `'Milo', 1, NULL`,
  `'Luna', 1, 'available'`,
  `'Rex', ${LARGEST}, 'sold'`,
  `'Coco', -4, 'pending'`,
];

const MADE_AT_MS = 1795219200000;
const DAY_MS = 86_400_000;

const folder = makeFolder();
const old = generateApiKey('live');
const revoked = generateApiKey('live');
let service: TestApp;

const run = (statement: string) => queryDatabase(folder, statement);

/** Creates a database as a version with these migrations left it. */
async function migrateWith(migrations: (new () => MigrationInterface)[], database: string): Promise<void> {
  if (onPostgres) await onSharedServer(database).createEmpty();
  const dataSource = commandLineDataSource(databaseUrl(database), { entities: [] }).setOptions({ migrations });
  await dataSource.initialize();
  await dataSource.runMigrations();
  await dataSource.destroy();
}

/** What the first version, which had one migration, left behind. */
async function leaveFirstVersion(): Promise<void> {
  await migrateWith([Initial1795219200000], folder);
  for (const values of PETS) await run(`INSERT INTO "pets" ("name", "category_id", "status") VALUES (${values})`);
  // The last one was removed again: its identifier is spent.
  await run(`DELETE FROM "pets" WHERE "name" = 'Coco'`);
  await run(`INSERT INTO "accounts" ("name", "plan", "created_at") VALUES ('early bird', 'pro', ${MADE_AT_MS})`);
  await leaveKey('A', { secret: old });
  await leaveKey('B', { secret: revoked, revokedAt: MADE_AT_MS + 1 });
  await leaveKey('C', { expiresAt: MADE_AT_MS + 90 * DAY_MS });
  await leaveRecord('C', 'key.created', { lifetimeMs: 90 * DAY_MS });
  // Rotated twice, for overlaps of two days and one.
  await leaveKey('D', { expiresAt: MADE_AT_MS + DAY_MS });
  await leaveRecord('D', 'key.created', { lifetimeMs: null });
  await leaveRecord('D', 'key.rotated', { successor: idOf('A'), expiresAt: MADE_AT_MS + 2 * DAY_MS });
  await leaveRecord('D', 'key.rotated', { successor: idOf('C'), expiresAt: MADE_AT_MS + DAY_MS });
  // Their records were deleted.
  await leaveKey('E', { expiresAt: MADE_AT_MS + 30 * DAY_MS });
  await leaveKey('F', {});
}

const idOf = (letter: string) => `key_${letter.repeat(16)}`;

interface Leftover {
  readonly secret?: string;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
}

/** A key as it was kept by versions whose keys knew neither lifetime nor successor. */
async function leaveKey(
  letter: string,
  { secret = generateApiKey('live'), expiresAt, revokedAt }: Leftover,
): Promise<void> {
  const columns = '"id", "account_id", "sha256", "masked", "scopes", "created_at", "expires_at", "revoked_at"';
  const times = [MADE_AT_MS, expiresAt ?? 'NULL', revokedAt ?? 'NULL'].join();
  const values = `'${idOf(letter)}', 1, '${hashApiKey(secret)}', 'psk_live_…', 'pets:read pets:write', ${times}`;
  await run(`INSERT INTO "api_keys" (${columns}) VALUES (${values})`);
}

async function leaveRecord(letter: string, action: string, detail: object): Promise<void> {
  const values = `${MADE_AT_MS}, 'cli:root', '${action}', 1, '${idOf(letter)}', '${JSON.stringify(detail)}'`;
  await run(
    `INSERT INTO "audit_records" ("at", "actor", "action", "account_id", "key_id", "detail") VALUES (${values})`,
  );
}

beforeAll(async () => {
  await leaveFirstVersion();
  service = await startApp({ folder });
});
afterAll(() => service.stop());

const get = async (path: string, key = old) => {
  const response = await service.request(path, { key });
  return [response.status, await response.text()];
};

/** How long the successors live that the operator gives a key one after the other, in milliseconds. */
async function rotatedLifetimes(letter: string): Promise<(number | null)[]> {
  const lifetimes: (number | null)[] = [];
  for (const overlapMs of [60_000, 0]) {
    const { createdAt, expiresAt } = await service.app.get(KeysService).rotate(idOf(letter), overlapMs);
    lifetimes.push(expiresAt === undefined ? null : Date.parse(expiresAt) - Date.parse(createdAt));
  }
  return lifetimes;
}

describe('a database of the first version', () => {
  it('keeps its pets, digit for digit, and assigns the next identifiers', async () => {
    const pets = [
      '{"id":1,"name":"Bella","categoryId":1,"status":"available"}',
      '{"id":2,"name":"Milo","categoryId":1}',
      '{"id":3,"name":"Luna","categoryId":1,"status":"available"}',
      `{"id":4,"name":"Rex","categoryId":${LARGEST},"status":"sold"}`,
    ];
    expect(await get('/v1/pets')).toEqual([200, `[${pets.join()}]`]);
    const added = await service.post('/v1/pets', old, '{"name":"Nala","categoryId":77,"status":"sold"}');
    expect(await added.json()).toEqual({ id: 6, name: 'Nala', categoryId: 77, status: 'sold' });
  });

  it('keeps its keys with their scopes', async () => {
    expect(await get('/v1/pets/4')).toEqual([200, expect.stringContaining('Rex')]);
    expect(await get('/v1/pets', revoked)).toEqual([401, expect.stringContaining('api_key_revoked')]);
    expect(await get('/v1/categories')).toEqual([403, expect.stringContaining('categories:read')]);
  });

  it('has keys with their latest successor', async () => {
    const scopes = ['keys:manage', 'pets:read', 'pets:write'];
    const manager = await service.key({ account: 'early bird', plan: 'pro', scopes });
    const refusal = await errorOf(await service.post(`/v1/keys/${idOf('D')}/rotate`, manager, '{}'));
    expect(refusal).toMatchObject({ code: 'api_key_retired', message: expect.stringContaining(`Rotate ${idOf('C')}`) });
  });

  it.each([
    ['without an end', 'F', null],
    ['that its record tells', 'C', 90 * DAY_MS],
    ['without an end, though it was rotated', 'D', null],
    ['that its times tell where its record was deleted', 'E', 30 * DAY_MS],
    ['that its times tell if the previous version creates it now', 'G', 30 * DAY_MS],
    ['without an end, if the previous version creates it now', 'H', null],
  ])('has keys with the lifetime %s', async (_, letter, lifetimeMs) => {
    if (letter === 'G') await leaveKey(letter, { expiresAt: MADE_AT_MS + 30 * DAY_MS });
    if (letter === 'H') await leaveKey(letter, {});
    expect(await rotatedLifetimes(letter)).toEqual([lifetimeMs, lifetimeMs]);
  });

  it('has the schema that the entities describe', async () => {
    const dataSource = await commandLineDataSource(databaseUrl(folder), databaseParts([])).initialize();
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    await dataSource.destroy();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('can sell its pets', async () => {
    const key = await service.key();
    expect((await service.post('/v1/store/orders', key, '{"petId":3}')).status).toBe(201);
    expect((await service.post('/v1/store/orders', key, '{"petId":4}')).status).toBe(409);
    expect(await get('/v1/pets/3')).toEqual([200, expect.stringContaining('pending')]);
  });

  it('runs each migration once', async () => {
    const again = await startApp({ folder });
    const pets = await (await again.request('/v1/pets', { key: old })).text();
    await again.stop({ keepData: true });
    expect(await get('/v1/pets')).toEqual([200, pets]);
    const rows = await queryDatabase<{ name: string }>(folder, 'SELECT "name" FROM "migrations"');
    const names = rows.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names[0]).toBe('Initial1795219200000');
    expect(names.length).toBeGreaterThan(1);
  });
});

/** Version 1.1 counted the pets of a category, and refused negative counts. */
const REFUSE_NEGATIVE = onPostgres
  ? [
      `CREATE FUNCTION "refuse_negative_category_counts"() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'negative' USING ERRCODE = 'check_violation'; END $$`,
      `CREATE TRIGGER "category_counts_not_negative" AFTER INSERT OR UPDATE ON "category_counts"
        FOR EACH ROW WHEN (NEW."available" < 0) EXECUTE FUNCTION "refuse_negative_category_counts"()`,
    ]
  : ['insert', 'update'].map(
      (event) => `CREATE TRIGGER "category_counts_not_negative_${event}" AFTER ${event} ON "category_counts"
        WHEN NEW."available" < 0 BEGIN SELECT RAISE(ABORT, 'negative'); END`,
    );

it('a database of version 1.1 lets instances of that version remove pets that nobody counted', async () => {
  const database = makeFolder();
  const withTriggers = MIGRATIONS.slice(0, MIGRATIONS.indexOf(CategoryCountsUnused1795251600000));
  await migrateWith(withTriggers, database);
  for (const sql of REFUSE_NEGATIVE) await queryDatabase(database, sql);
  await queryDatabase(database, 'INSERT INTO "category_counts" VALUES (1, 2, 0, 0, 0)');
  const remove = () => queryDatabase(database, 'UPDATE "category_counts" SET "available" = "available" - 9');
  await expect(remove()).rejects.toThrow('negative');
  const upgraded = await startApp({ folder: database });
  await expect(remove()).resolves.toEqual([]);
  await upgraded.stop();
});

/** A module that has nothing. */
const EmptyModule = Map;

it('a migration that fails is named', async () => {
  class Bids1800000000000 implements MigrationInterface {
    up = (runner: QueryRunner) => runner.query('CREATE TABLE "bids" ("id" INTEGER)');
    down = (runner: QueryRunner) => runner.query('DROP TABLE "bids"');
  }
  class Offers1800000000000 extends Bids1800000000000 {}
  const start = startApp({
    extensions: [{ module: EmptyModule, migrations: [Bids1800000000000, Offers1800000000000] }],
  });
  await expect(start).rejects.toThrow(/^Migration Offers1800000000000: .*bids.* already exists/);
});

const generated = async (dataSource: DataSource) =>
  (await dataSource.driver.createSchemaBuilder().log()).upQueries.map(({ query }) => query);

describe('migration:generate', () => {
  @Entity({ name: 'auctions' })
  class Auction {
    @PrimaryColumn({ type: 'bigint' })
    id!: string;
  }

  /** Declared, and so made, before the table that it refers to. */
  @Entity({ name: 'bids' })
  class Bid extends Auction {
    @ManyToOne(() => Auction, { nullable: false, onDelete: 'CASCADE' })
    @JoinColumn({ name: 'auction_id', foreignKeyConstraintName: 'bids_auction' })
    auction!: Auction;
  }

  const open = (database: string) => {
    const env = loadEnv({ DATABASE_URL: databaseUrl(database) });
    return createDataSource(env, [{ entities: [Bid, Auction] }]).initialize();
  };

  it('writes new tables that refer to each other', async () => {
    const { folder: database, stop } = await startApp();
    const dataSource = await open(database);
    const statements = await generated(dataSource);
    expect(statements.join('\n')).toContain(
      'CONSTRAINT "bids_auction" FOREIGN KEY ("auction_id") REFERENCES "auctions"',
    );
    for (const sql of statements) await dataSource.query(sql);
    expect(await generated(dataSource)).toEqual([]);
    await dataSource.query('INSERT INTO "auctions" VALUES (1)');
    const insert = (auction: number) => dataSource.query(`INSERT INTO "bids" VALUES (${auction}, ${auction})`);
    await insert(1);
    await expect(insert(2)).rejects.toThrow(/foreign key/i);
    await dataSource.destroy();
    await stop();
  });

  it('is refused while migrations of the service are pending', async () => {
    const database = makeFolder();
    await migrateWith(MIGRATIONS.slice(0, -1), database);
    const dataSource = await open(database);
    await expect(generated(dataSource)).rejects.toThrow('Run the migrations first: npm run migrate');
    await dataSource.destroy();
  });
});
