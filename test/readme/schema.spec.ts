import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { ACCOUNT_ENTITIES } from '../../src/auth/index.js';
import { writerOptions } from '../../src/database/index.js';
import { PET_ENTITIES } from '../../src/pets/index.js';
import { COUNTER_ENTITIES } from '../../src/rate-limit/index.js';

const folder = mkdtempSync(join(tmpdir(), 'petstore-schema-'));
let dataSource: DataSource;

beforeAll(async () => {
  const entities = [...PET_ENTITIES, ...ACCOUNT_ENTITIES, ...COUNTER_ENTITIES];
  dataSource = await new DataSource(writerOptions(join(folder, 'petstore.sqlite'), { entities })).initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  rmSync(folder, { recursive: true });
});

const tables = async () => {
  const rows = await dataSource.query<{ name: string }[]>(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`);
  return rows.map(({ name }) => name).filter((name) => name !== 'migrations');
};

describe('the migrations', () => {
  it('make the schema that the entities describe', async () => {
    await dataSource.runMigrations();
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('can all be undone, and done again', async () => {
    for (const _ of dataSource.migrations) await dataSource.undoLastMigration();
    expect(await tables()).toEqual([]);
    await dataSource.runMigrations();
    expect((await tables()).length).toBeGreaterThan(0);
  });
});
