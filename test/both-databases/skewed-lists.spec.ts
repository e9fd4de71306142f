import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { queryDatabase } from '../support/databases.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';

/** Of which the last eighth is of one category, and of the account of the test. */
const ROWS = 80_000;
const FROM = (ROWS * 7) / 8;

shareApp({}, AMPLE);
beforeAll(async () => {
  for (const statement of [
    `INSERT INTO pets (name, category_id, status) SELECT 'Pet', CASE WHEN n > ${FROM} THEN 300 ELSE n % 200 END,
       CASE WHEN n > ${FROM} OR n % 2 = 0 THEN 'sold' ELSE 'pending' END FROM generate_series(1, ${ROWS}) n`,
    `INSERT INTO orders (account_id, pet_id, status, created_at) SELECT CASE WHEN n > ${FROM} THEN 1 ELSE 2 + n % 200 END,
       n, CASE WHEN n > ${FROM} THEN 'approved' ELSE 'placed' END, n FROM generate_series(1, ${ROWS}) n`,
    'ANALYZE',
  ])
    await queryDatabase(service.folder, statement);
});

/** How PostgreSQL finds what a request asks for. */
async function planOf(path: string): Promise<string> {
  const { logger, manager } = service.app.get(DataSource);
  const sent = jest.spyOn(logger, 'logQuery').mockImplementation(() => undefined);
  expect((await service.request(path, { key })).status).toBe(200);
  const [sql = '', parameters] = sent.mock.calls.find(([text]) => / FROM "(pets|orders)"/.test(text)) ?? [];
  sent.mockRestore();
  const lines = await manager.query<Record<string, string>[]>(`EXPLAIN ${sql}`, parameters);
  return lines.map((line) => line['QUERY PLAN']).join('\n');
}

const LISTS = {
  'pets?categoryId=300': 'pets_category_id_id',
  'pets?status=pending': 'pets_status_id',
  'pets?categoryId=300&status=sold': 'pets_category_id_status_id',
  'pets?categoryId=300&status=pending': 'pets_category_id_status_id',
  'store/orders?': 'orders_account_id_id',
  'store/orders?status=approved': 'orders_account_id_status_id',
  'store/orders?status=placed': 'orders_account_id_status_id',
};

describe('a list of rows that statistics place everywhere', () => {
  it.each(Object.entries(LISTS))('is read by the index of its filters, on every page: %s', async (list, index) => {
    for (const after of ['', '&after=10', `&after=${ROWS - 100}`]) {
      const plan = await planOf(`/v1/${list}${after}`);
      expect(plan).toContain(`Index Scan using ${index} on`);
      expect(plan).not.toMatch(/Sort|Filter: (?!\(id <> )|Seq Scan|pkey/);
    }
  });
});
