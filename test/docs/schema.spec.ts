import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { commandLineDataSource } from '../../src/database/database.module.js';
import { databaseParts } from '../../src/database-parts.js';
import { shareFolder } from '../support/share-folder.js';

const folder = shareFolder();
let dataSource: DataSource;

beforeAll(async () => {
  dataSource = await commandLineDataSource(`sqlite:${join(folder, 'petstore.sqlite')}`, databaseParts([])).initialize();
});
afterAll(() => dataSource.destroy());

const tables = async () => {
  const rows = await dataSource.query<{ name: string }[]>(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
  );
  return rows.map(({ name }) => name).filter((name) => name !== 'migrations');
};

it('the migrations create the schema that the entities describe, can all be reverted, and run again', async () => {
  await dataSource.runMigrations();
  const created = await tables();
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  expect(upQueries.map(({ query }) => query)).toEqual([]);
  for (const _ of dataSource.migrations) await dataSource.undoLastMigration();
  expect(await tables()).toEqual([]);
  await dataSource.runMigrations();
  expect(await tables()).toEqual(created);
});
