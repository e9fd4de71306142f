import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { collected } from '../../../test/support/collected.js';
import type { EntityManager } from 'typeorm';
import { AuthBench, type AuthInstance } from '../../../test/support/auth-service.js';
import { onPostgres } from '../../../test/support/databases.js';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const OLD_KEYS = 10_000;
const AT_ONCE = 1_000;
const MADE_AT_MS = Date.parse('2026-01-01T00:00:00Z');

describe('an account with many old keys', () => {
  const bench = new AuthBench();
  const repository = new ApiKeysRepository();
  let service: AuthInstance;

  beforeAll(async () => {
    service = await bench.open();
    await service.keys.createKey({ account: 'acme', plan: 'pro' });
    await service.database.write((manager) => addOldKeys(manager));
    for (const account of ['acme', 'zoo']) await service.keys.createKey({ account, plan: 'pro' });
  });

  afterAll(() => bench.remove());

  /** How the database finds what is asked for: the plans of all statements, line by line. */
  const planOf = async (ask: (manager: EntityManager) => Promise<unknown>) => {
    const { manager } = service.database;
    const statements = await sentBy(manager, ask);
    const [explain, column] = onPostgres ? ['EXPLAIN', 'QUERY PLAN'] : ['EXPLAIN QUERY PLAN', 'detail'];
    const plan: string[] = [];
    for (const { sql, parameters } of statements) {
      expect(sql).toContain('FROM "api_keys"');
      const lines = await manager.query<Record<string, string>[]>(`${explain} ${sql}`, parameters);
      plan.push(...lines.map((line) => String(line[column])));
    }
    return plan.join('\n');
  };

  const after = { accountId: 1, createdAt: MADE_AT_MS + OLD_KEYS / 2, id: 'key_a' };
  const cursor = Buffer.from(JSON.stringify([`${after.createdAt}`, after.id])).toString('base64url');
  const ORDERED = 'api_keys_account_id_created_at_id';
  const FROM_THE_ACCOUNT = onPostgres
    ? 'Index Cond: (account_id = '
    : `SEARCH key USING INDEX ${ORDERED} (account_id=?`;

  it.each<[string, (manager: EntityManager) => Promise<unknown>, string, string[]]>([
    [
      'the first page of the account',
      (manager) => repository.pageOf(manager, 1, { limit: 20 }),
      ORDERED,
      [FROM_THE_ACCOUNT],
    ],
    [
      'a later page of the account',
      (manager) => repository.pageOf(manager, 1, { limit: 20, after: cursor }),
      ORDERED,
      onPostgres
        ? ["((account_id = '1'::bigint) AND (ROW(created_at, (id)::text) > ROW("]
        : ['(account_id=? AND created_at=? AND id>?)', '(account_id=? AND created_at>?)'],
    ],
    ['the first page of all keys', (manager) => repository.page(manager), ORDERED, [ORDERED]],
    [
      'a later page of all keys',
      (manager) => repository.page(manager, after),
      ORDERED,
      [onPostgres ? '(ROW(account_id, created_at, (id)::text) > ROW(' : '((account_id,created_at,id)>(?,?,?))'],
    ],
    [
      'the number of active keys',
      (manager) => repository.countActive(manager, 1, bench.clock.nowMs()),
      'api_keys_not_revoked',
      [onPostgres ? 'expires_at > ' : '(account_id=? AND expires_at>?)'],
    ],
    [
      'a key by its hash',
      (manager) => repository.find(manager, { sha256: '1' }),
      'api_keys_sha256',
      [onPostgres ? "(sha256 = '1'::text)" : '(sha256=?)'],
    ],
  ])('finds %s by an index, without sorting', async (_, ask, index, conditions) => {
    const plan = await planOf(ask);
    expect(plan).toContain(index);
    for (const condition of conditions) expect(plan).toContain(condition);
    expect(plan).not.toMatch(/Seq Scan on api_keys|Sort|TEMP B-TREE|SCAN (key|ApiKey)(?! USING INDEX)/);
  });

  it.each([{ id: 'key_1' }, { id: 'key_1', accountId: 1 }, { sha256: '1' }, { sha256: 'unknown' }])(
    'finds the key %j in one statement',
    async (where) => {
      const { manager } = service.database;
      expect(await sentBy(manager, () => repository.find(manager, where))).toHaveLength(1);
    },
  );

  it('is listed page by page: each key once, by account, oldest first', async () => {
    const page = jest.spyOn(ApiKeysRepository.prototype, 'page');
    const listed = await collected(service.keys.listKeys());
    const pages = await Promise.all(page.mock.results.map(({ value }) => value as Promise<readonly ApiKey[]>));
    expect(Math.max(...pages.map(({ length }) => length))).toBe(1_000);
    expect(new Set(listed.map(({ id }) => id)).size).toBe(OLD_KEYS + 3);
    const order = listed.map(({ account, createdAt }) => `${account} ${createdAt}`);
    expect(order).toEqual(order.toSorted());
    expect(listed.at(-1)).toHaveProperty('account', 'zoo');
    expect(await collected(service.keys.listKeys('acme'))).toEqual(listed.slice(0, -1));
  });

  it('counts active keys only', async () => {
    // Then, the last ten had not expired yet; every other one is revoked.
    const times = [bench.clock.nowMs(), MADE_AT_MS + OLD_KEYS - 10];
    const counts = times.map((atMs) => repository.countActive(service.database.manager, 1, atMs));
    expect(await Promise.all(counts)).toEqual([2, 7]);
  });
});

/** The statements that a query sends. */
async function sentBy(manager: EntityManager, ask: (manager: EntityManager) => Promise<unknown>) {
  const sent = jest.spyOn(manager.dataSource.logger, 'logQuery').mockImplementation(() => undefined);
  await ask(manager);
  const statements = sent.mock.calls.map(([sql, parameters]) => ({ sql, parameters }));
  sent.mockRestore();
  return statements;
}

/** Expired, and every other one revoked: enough of them that reading all would show. */
async function addOldKeys(manager: EntityManager): Promise<void> {
  // Slow machines need more than a statement's time for all of them.
  for (let first = 1; first <= OLD_KEYS; first += AT_ONCE) {
    await manager.query(`
      INSERT INTO "api_keys" ("id", "account_id", "sha256", "masked", "scopes", "created_at", "expires_at", "revoked_at")
      WITH RECURSIVE "numbers" ("n") AS (
        SELECT ${first} UNION ALL SELECT "n" + 1 FROM "numbers" WHERE "n" < ${first + AT_ONCE - 1}
      )
      SELECT 'key_' || "n", 1, "n", 'psk_live_', 'pets:read', ${MADE_AT_MS} + "n", ${MADE_AT_MS} + "n",
        CASE WHEN "n" % 2 = 0 THEN ${MADE_AT_MS} + "n" END
      FROM "numbers"`);
  }
  // PostgreSQL does so by itself; SQLite must find the index without statistics.
  if (onPostgres) await manager.query('ANALYZE "api_keys"');
}
