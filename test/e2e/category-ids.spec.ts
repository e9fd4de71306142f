import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { CategoriesRepository } from '../../src/categories/categories.repository.js';
import { Database } from '../../src/database/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { onPostgres, queryDatabase } from '../support/databases.js';

const HIGHEST = Number.MAX_SAFE_INTEGER;
const MANY = 20_000;
/** Statements that finding a free identifier may take: it doubles up to 2^53, then bisects. */
const MOST_STATEMENTS = 120;

interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

let service: TestApp;
let key: string;

beforeAll(async () => {
  service = await startApp();
  key = await service.key();
});
afterAll(() => service.stop());
beforeEach(async () => {
  for (const table of ['categories', 'category_counts']) await run(`DELETE FROM "${table}"`);
});

const run = (sql: string) => queryDatabase(service.folder, sql);

/** Adds categories to the tables that hold them: `ids` is a SELECT of their identifiers. */
async function addCategories(ids: string): Promise<void> {
  await run(`INSERT INTO "categories" ("id", "name") ${ids.replace('"id"', '"id", \'n\'')}`);
  await run(`INSERT INTO "category_counts" ${ids.replace('"id"', '"id", 0, 0, 0, 0')}`);
}

const upTo = (last: number) => `SELECT "id" FROM (
  WITH RECURSIVE "n" ("id") AS (SELECT 1 UNION ALL SELECT "id" + 1 FROM "n" WHERE "id" < ${last}) SELECT * FROM "n"
) AS "ids"`;
const these = (ids: readonly number[]) => `SELECT "id" FROM (
  ${ids.map((id) => `SELECT CAST(${id} AS BIGINT) AS "id"`).join(' UNION ')}
) AS "ids"`;

async function issued(): Promise<number> {
  const response = await service.post('/v1/categories', key, '{"name":"n"}');
  return ((await response.json()) as { id: number }).id;
}

/** The statements of a createCategory without identifier. */
async function statementsOfCreate(): Promise<Statement[]> {
  const sent: Statement[] = [];
  await service.app.get(Database).write(async (manager) => {
    const observed: EntityManager = Object.create(manager, {
      query: {
        value: (sql: string, parameters: unknown[] = []) => {
          sent.push({ sql, parameters });
          return manager.query(sql, parameters);
        },
      },
    });
    await service.app.get(CategoriesRepository).insert(observed, 'n');
  });
  return sent;
}

/** How the database executes a statement. */
function explain({ sql, parameters }: Statement): Promise<string> {
  const command = onPostgres ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN';
  const database = service.app.get(Database);
  return database.read(async (manager) => JSON.stringify(await manager.query(`${command} ${sql}`, [...parameters])));
}

describe('createCategory if the highest identifier is in use', () => {
  it('assigns the first one after a run of used ones', async () => {
    await addCategories(upTo(MANY));
    await addCategories(these([HIGHEST]));
    expect([await issued(), await issued()]).toEqual([MANY + 1, MANY + 2]);
  });

  it('assigns a free one wherever the search begins', async () => {
    await addCategories(these([...Array.from({ length: 53 }, (_, n) => 2 ** n), HIGHEST]));
    const ids = [await issued(), await issued(), await issued()];
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(Number.isSafeInteger(id) && id >= 1).toBe(true);
  });

  it('reads few index entries, however many identifiers are used', async () => {
    await addCategories(upTo(MANY));
    await addCategories(these([HIGHEST]));
    if (onPostgres) await run('ANALYZE');
    const statements = await statementsOfCreate();
    expect(statements.length).toBeGreaterThan(10);
    expect(statements.length).toBeLessThan(MOST_STATEMENTS);
    const plans = await Promise.all(statements.filter(({ sql }) => /^\s*SELECT/.test(sql)).map(explain));
    expect(plans.join('\n')).toMatch(onPostgres ? /Index Only Scan/ : /SEARCH categories USING INTEGER PRIMARY KEY/);
    expect(plans.filter((plan) => /Seq Scan|SCAN "?(categories|category_counts)/.test(plan))).toEqual([]);
  });
});
