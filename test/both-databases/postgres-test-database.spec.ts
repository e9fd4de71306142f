import { Module } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { startTestApp } from '../../src/testing/index.js';
import { orderOf, OrdersClient } from '../support/orders.js';
import { PostgresTestDatabase } from '../support/servers/postgres-test-database.js';

const SERVER = String(process.env['TEST_POSTGRES_URL']);
const server = new PostgresTestDatabase(SERVER, 'postgres');

let runs = 0;

class CreateCages1795305600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    runs += 1;
    await runner.query('CREATE TABLE "cages" ("id" INTEGER PRIMARY KEY)');
  }

  async down(): Promise<void> {}
}

class AddCage1795305600001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('INSERT INTO "cages" VALUES (1)');
  }

  async down(): Promise<void> {}
}

/** Its text is the same whatever it extends. */
const extending = (Base: typeof AddCage1795305600001) => class AddCages1795305600004 extends Base {};

@Module({})
class CagesModule {}

const cages = (...migrations: (new () => MigrationInterface)[]) => ({ module: CagesModule, migrations });

/** Starts an application in the way of an extension's tests, and stops it. */
async function countCages(...migrations: (new () => MigrationInterface)[]): Promise<number> {
  const service = await startTestApp({ postgresUrl: SERVER, extensions: [cages(...migrations)] });
  try {
    return (await service.database.query('SELECT "id" FROM "cages"')).length;
  } finally {
    await service.stop();
  }
}

const used = (daysAgo: number) =>
  `petstore template, used ${new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)}`;

describe('a test database on PostgreSQL', () => {
  it('is new for each application, while migrations run once until there are others', async () => {
    const all = await Promise.all([1, 2, 3].map(() => countCages(CreateCages1795305600000)));
    expect([all, runs]).toEqual([[0, 0, 0], 1]);
    for (let n = 0; n < 2; n += 1)
      expect([await countCages(CreateCages1795305600000, AddCage1795305600001), runs]).toEqual([1, 2]);
  });

  it('has what a migration inherits, also after that changed', async () => {
    class AddTwoCages extends AddCage1795305600001 {
      override async up(runner: QueryRunner): Promise<void> {
        await runner.query('INSERT INTO "cages" VALUES (1), (2)');
      }
    }
    for (const [count, Base] of [AddCage1795305600001, AddTwoCages].entries())
      expect(await countCages(CreateCages1795305600000, extending(Base))).toBe(count + 1);
  });

  it('is copied from a template, of which those that no test has used for two weeks are dropped', async () => {
    class AddCage1795305600003 extends AddCage1795305600001 {}
    const old = { petstore_template_unused: used(15), petstore_template_used: used(13) };
    for (const [name, comment] of Object.entries(old)) {
      await server.query(`CREATE DATABASE "${name}"`);
      await server.query(`COMMENT ON DATABASE "${name}" IS '${comment}'`);
    }
    await countCages(CreateCages1795305600000, AddCage1795305600003);
    const rows = await server.query<{ name: string }>(
      `SELECT datname AS "name" FROM pg_database WHERE datname IN ('petstore_template_unused', 'petstore_template_used')`,
    );
    expect(rows).toEqual([{ name: 'petstore_template_used' }]);
    await server.query('DROP DATABASE "petstore_template_used"');
  });

  it('is removed with its application, and not with others', async () => {
    const services = [
      await startTestApp({ postgresUrl: SERVER }),
      await startTestApp({ postgresUrl: SERVER }),
    ] as const;
    const names = services.map(({ database }) => new URL(database.url).pathname.slice(1));
    const existing = async () => {
      const rows = await server.query<{ datname: string }>('SELECT datname FROM pg_database');
      return names.filter((name) => rows.some(({ datname }) => datname === name));
    };
    expect(await existing()).toEqual(names);
    await services[0].stop();
    expect(await existing()).toEqual(names.slice(1));
    await services[1].stop();
    expect(await existing()).toEqual([]);
  });

  it('outlives an application that is given it', async () => {
    const database = new PostgresTestDatabase(SERVER);
    await database.create();
    const first = await startTestApp({ database });
    const key = await first.key();
    await first.stop();
    const second = await startTestApp({ database });
    expect((await second.request('/v1/pets', { key })).status).toBe(200);
    await second.stop();
    await database.remove();
  });

  it('is none that others made, which is neither used nor removed', async () => {
    const database = new PostgresTestDatabase(SERVER, `petstore_${Date.now()}`);
    const name = new URL(database.url).pathname.slice(1);
    await server.query(`CREATE DATABASE "${name}"`);
    const refused = `The database ${name} is not a test database.`;
    await expect(startTestApp({ database })).rejects.toThrow(refused);
    await expect(database.remove()).rejects.toThrow(refused);
    expect(await database.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
    await server.query(`DROP DATABASE "${name}"`);
  });

  it('can be made again after a migration failed', async () => {
    class Broken1795305600002 implements MigrationInterface {
      static isBroken = true;

      async up(): Promise<void> {
        if (Broken1795305600002.isBroken) throw new Error('broken migration');
      }

      async down(): Promise<void> {}
    }
    const start = () => startTestApp({ postgresUrl: SERVER, extensions: [cages(Broken1795305600002)] });
    await expect(start()).rejects.toThrow('broken migration');
    Broken1795305600002.isBroken = false;
    await (await start()).stop();
  });
});

describe('a clock that a test sets', () => {
  it('decides what is old, rather than the clock of PostgreSQL', async () => {
    const orders = new OrdersClient();
    await orders.start();
    await orders.reset();
    const { id } = await orderOf(orders.place(await orders.addPet()));
    const statuses: string[] = [];
    for (let days = 0; days <= 4; days += 1) {
      await orders.service.runTask('cancelling expired orders');
      statuses.push((await orderOf(orders.get(`/${id}`))).status);
      orders.clock.advanceSeconds(86_400);
    }
    expect(statuses).toEqual(['placed', 'placed', 'placed', 'placed', 'cancelled']);
    await orders.stop();
  });
});
