import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { Retention } from '../../src/accounts/retention.js';
import { EventRetention } from '../../src/database/events/delivery/event-retention.js';
import { OldRows } from '../../src/database/old-rows.js';
import { Env } from '../../src/platform/config/env.js';
import { OldUsageDeletion, UsageRecorder } from '../../src/rate-limit/history/usage-history.js';
import { RecordExpiry } from '../../src/http/idempotency/idempotency.module.js';
import { LastUsedTracker } from '../../src/auth/authentication/last-used-tracker.js';
import { CounterPersistence } from '../../src/rate-limit/persistence/counter-persistence.js';
import { OrderExpiry } from '../../src/store/order-expiry.js';
import { OrdersService } from '../../src/store/orders.service.js';
import { FakeClock } from '../support/app.js';
import { onPostgres, queryDatabase } from '../support/databases.js';
import { refusalOf } from '../support/expectations.js';
import { type Order, OrdersClient } from '../support/orders.js';
import { protectRows, unprotectRows } from '../support/protected-rows.js';
import { metricOf } from '../support/metrics.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** A clock that the service takes for the real one. */
class SettableClock extends FakeClock {
  override readonly isReal = true;
}

const orders = new OrdersClient(new SettableClock());

beforeAll(async () => {
  // Near the clock of PostgreSQL, which decides there what is old.
  orders.clock.ms = Date.now();
  await orders.start();
  await orders.reset();
  // On SQLite, nothing is deleted by age before.
  orders.clock.advanceMs(HOUR_MS);
});
afterAll(orders.stop);

const sql = <Row extends object>(text: string) => queryDatabase<Row>(orders.service.folder, text);
const statusOf = async ({ id }: Order) => ((await (await orders.get(`/${id}`)).json()) as Order).status;
const place = async (petId: number) => (await (await orders.place(petId)).json()) as Order;
const placeOld = async (petId: number, ageMs = 3 * DAY_MS + 1) => {
  const order = await place(petId);
  await sql(`UPDATE "orders" SET "created_at" = "created_at" - ${ageMs + HOUR_MS} WHERE "id" = ${order.id}`);
  return order;
};
const expire = () => orders.service.app.get(OrderExpiry).run();
const idsOf = async () => (await sql<{ id: string }>('SELECT "id" FROM "api_keys"')).map(({ id }) => id);
const countOf = async (table: string) => (await sql(`SELECT 1 FROM "${table}"`)).length;
const metric = (name: string) => metricOf(orders.service, name);

describe('the expiry of orders', () => {
  it('cancels orders that nobody approved for 72 hours, with their events, and no others', async () => {
    const [late, early, approved] = [await orders.addPet(), await orders.addPet(), await orders.addPet()];
    const forgotten = await placeOld(late);
    const taken = await placeOld(approved);
    await orders.move(taken.id, 'approved');
    const recent = await placeOld(early, 3 * DAY_MS - 1.5 * HOUR_MS);
    const cancelled = jest.fn();
    orders.service.app.get(EventEmitter2).on('order.cancelled', cancelled);
    await expire();
    // As if it had been approved after it was found.
    const [row] = await sql<{ accountId: string }>(
      `SELECT "account_id" AS "accountId" FROM "orders" WHERE "id" = ${taken.id}`,
    );
    const key = { accountId: Number(row?.accountId), id: String(taken.id) };
    await orders.service.app.get(OrdersService).expire(key);
    const statuses = [await statusOf(forgotten), await statusOf(taken), await statusOf(recent)];
    expect(statuses).toEqual(['cancelled', 'approved', 'placed']);
    expect([await orders.petStatus(late), await orders.petStatus(early)]).toEqual(['available', 'pending']);
    expect(cancelled.mock.calls).toEqual([
      [expect.objectContaining({ actor: 'order-expiry', after: expect.objectContaining({ id: forgotten.id }) })],
    ]);
  });

  it('cancels all others if one cannot be cancelled, and counts the failure', async () => {
    const failures = 'petstore_background_failures_total{task="cancelling expired orders"}';
    const lastSuccess = 'petstore_background_last_success_timestamp_seconds{task="cancelling expired orders"}';
    const [bad, good] = [await placeOld(await orders.addPet()), await placeOld(await orders.addPet())];
    await protectRows(orders.service.folder, 'orders', 'UPDATE', `"id" = ${bad.id}`);
    const before = await metric(failures);
    await expect(expire()).rejects.toThrow(AggregateError);
    expect([await statusOf(bad), await statusOf(good)]).toEqual(['placed', 'cancelled']);
    for (let scrapes = 0; scrapes < 2; scrapes += 1) expect(await metric(failures)).toBe(before + 1);
    await unprotectRows(orders.service.folder, 'orders');
    await expire();
    expect(await statusOf(bad)).toBe('cancelled');
    expect(Math.abs((await metric(lastSuccess)) - Date.now() / 1_000)).toBeLessThan(60);
  });

  it('cancels all others in its next run if as many as a run takes cannot be cancelled', async () => {
    const order = await placeOld(await orders.addPet());
    const stuck = Array.from({ length: 500 }, () => `(0, 0, 'placed', 0)`);
    await sql(`INSERT INTO "orders" ("account_id", "pet_id", "status", "created_at") VALUES ${stuck.join()}`);
    await protectRows(orders.service.folder, 'orders', 'UPDATE', '"account_id" = 0');
    await expect(expire()).rejects.toThrow(AggregateError);
    await expire();
    expect(await statusOf(order)).toBe('cancelled');
    await unprotectRows(orders.service.folder, 'orders');
    await expire();
    expect(await sql(`SELECT 1 FROM "orders" WHERE "account_id" = 0 AND "status" = 'placed'`)).toEqual([]);
    await sql('DELETE FROM "orders" WHERE "account_id" = 0');
  });
});

const both = (status: string | null) => [1, 2].map(() => ({ status, held: '0' }));

it.each([
  ['is reset', `UPDATE "pets" SET "held" = 0, "status" = 'available'`, both('available')],
  ['has another status', `UPDATE "pets" SET "status" = NULL`, both(null)],
  ['is deleted', `DELETE FROM "pets"`, []],
])(
  'an order whose pet %s past the service can be cancelled by the expiry and by its owner, but not delivered',
  async (_, change, left) => {
    const petIds = [await orders.addPet(), await orders.addPet()] as const;
    const [old, recent] = [await placeOld(petIds[0]), await place(petIds[1])];
    await sql(`${change} WHERE "id" IN (${petIds.join()})`);
    await expire();
    expect(await statusOf(old)).toBe('cancelled');
    expect((await orders.move(recent.id, 'approved')).status).toBe(200);
    expect(await refusalOf(orders.move(recent.id, 'delivered'))).toBe('409 invalid_status_transition');
    expect((await orders.move(recent.id, 'cancelled')).status).toBe(200);
    expect(
      await sql(`SELECT "status", CAST("held" AS TEXT) AS "held" FROM "pets" WHERE "id" IN (${petIds.join()})`),
    ).toEqual(left);
  },
);

describe('what is written from time to time', () => {
  it.each([
    ['last uses', LastUsedTracker, 'api_keys', '"last_used_at"', (id: number) => `"account_id" = ${id}`],
    ['usage history', UsageRecorder, 'usage_history', '"requests"', (id: number) => `"account_id" = ${id}`],
    ['counters', CounterPersistence, 'usage_windows', '"day_used"', (id: number) => `"subject" = 'account:${id}'`],
  ])('is written except for rows that cannot be written: %s', async (_, task, table, column, whose) => {
    const { app, folder } = orders.service;
    const issue = (n: number) => app.get(KeysService).createKey({ account: `${table} ${n}`, plan: 'pro' });
    const keys = [await issue(1), await issue(2), await issue(3)];
    const accounts = await sql<{ id: number }>(
      `SELECT "id" FROM "accounts" WHERE "name" LIKE '${table} %' ORDER BY "id"`,
    );
    const useAll = async () => {
      orders.clock.advanceMs(1_000);
      for (const { key } of keys) await orders.service.request('/v1/pets', { key });
    };
    const values = async () => {
      const reads = accounts.map(({ id }) => sql(`SELECT ${column} FROM "${table}" WHERE ${whose(id)}`));
      return (await Promise.all(reads)).map((rows) => JSON.stringify(rows));
    };
    // A run of its own could be under way, which a run by hand would join.
    await app.get(task).stop();
    await useAll();
    await app.get(task).run();
    const before = await values();
    await protectRows(folder, table, 'UPDATE', whose(accounts[1]?.id ?? 0));
    await useAll();
    await expect(app.get(task).run()).rejects.toThrow('1 failed');
    expect((await values()).map((value, n) => value === before[n])).toEqual([false, true, false]);
    await unprotectRows(folder, table);
    await app.get(task).run();
    expect((await values()).map((value, n) => value === before[n])).toEqual([false, false, false]);
  });
});

describe('what is old', () => {
  it('is deleted: audit records after a year, and keys 90 days after they expired or were revoked', async () => {
    const { app } = orders.service;
    const keys = app.get(KeysService);
    const create = (expiresInMs?: number) => keys.createKey({ account: 'kept', plan: 'pro', expiresInMs });
    const [revoked, expired, kept] = [await create(), await create(DAY_MS), await create()];
    await keys.revoke(revoked.id);
    const age = (table: string, column: string, days: number) =>
      sql(`UPDATE "${table}" SET "${column}" = "${column}" - ${days * DAY_MS + 2 * HOUR_MS}`);
    await age('api_keys', 'revoked_at', 90);
    await age('api_keys', 'expires_at', 90);
    await app.get(Retention).run();
    expect(await idsOf()).not.toContain(revoked.id);
    expect(await idsOf()).toEqual(expect.arrayContaining([expired.id, kept.id]));
    await age('api_keys', 'expires_at', 1);
    await app.get(Retention).run();
    expect(await idsOf()).not.toContain(expired.id);
    expect(await refusalOf(orders.service.request('/v1/pets', { key: revoked.key }))).toBe('401 invalid_api_key');
    expect(await countOf('audit_records')).toBeGreaterThan(4);
    await age('audit_records', 'at', 365);
    await app.get(Retention).run();
    // The newest one stays, whatever its age.
    expect(await countOf('audit_records')).toBe(1);
    expect((await orders.service.request('/v1/pets', { key: kept.key })).status).toBe(200);
  });

  it('is deleted in batches, except for rows that cannot be deleted', async () => {
    const { app, folder } = orders.service;
    const numbers = Array.from({ length: 1_200 }, (_, n) => n);
    const insert = (table: string, columns: string, rowOf: (n: number) => string) =>
      sql(`INSERT INTO "${table}" (${columns}) VALUES ${numbers.map((n) => `(${rowOf(n)})`).join()}`);
    await insert(
      'idempotency_records',
      '"account_id", "idempotency_key", "fingerprint", "sealed_answer", "expires_at"',
      (n) => `777, 'k${n}', '', '', 0`,
    );
    await insert(
      'usage_history',
      '"account_id", "hour", "key_id", "operation", "outcome", "requests"',
      (n) => `777, ${n}, 'k', 'x', 'admitted', 1`,
    );
    await insert(
      'api_keys',
      '"id", "account_id", "sha256", "masked", "scopes", "created_at", "revoked_at"',
      (n) => `'k${n}', 1, 's${n}', '', '', 0, 0`,
    );
    await insert('audit_records', '"at", "actor", "action", "account_id", "detail"', () => `0, '', '', 777, ''`);
    const cases = [
      [RecordExpiry, 'idempotency_records', `"idempotency_key" IN ('k7', 'k1100')`, '"account_id" = 777'],
      [OldUsageDeletion, 'usage_history', '"hour" IN (7, 1100)', '"account_id" = 777'],
      [Retention, 'api_keys', `"id" IN ('k7', 'k1100')`, `"masked" = ''`],
    ] as const;
    for (const [task, table, which, all] of cases) {
      await protectRows(folder, table, 'DELETE', which);
      await expect(app.get(task).run()).rejects.toThrow('2 failed');
      expect(await sql(`SELECT 1 FROM "${table}" WHERE ${all}`)).toHaveLength(2);
      await unprotectRows(folder, table);
      await app.get(task).run();
      expect(await sql(`SELECT 1 FROM "${table}" WHERE ${all}`)).toEqual([]);
    }
    expect(await countOf('audit_records')).toBe(1);
  });

  it('is deleted: events and deliveries that are over after 30 days, but none that is pending', async () => {
    const ended = (days: number) => Date.now() - days * DAY_MS;
    const rows = [31, 29].flatMap((days) =>
      ['pending', 'delivered', 'failed'].map(
        (state, n) => `('x', ${10 * days + n}, '${state} ${days}', '${state}', 1, ${ended(days)}, 0)`,
      ),
    );
    const columns = '"subscription", "place", "subject", "state", "attempts", "due_at", "at"';
    await sql(`INSERT INTO "event_deliveries" (${columns}) VALUES ${rows.join()}`);
    const newest = '(SELECT MAX("id") FROM "event_log")';
    await sql(`UPDATE "event_log" SET "at" = "at" - ${30 * DAY_MS + 2 * HOUR_MS} WHERE "id" < ${newest}`);
    expect(await countOf('event_log')).toBeGreaterThan(1);
    await orders.service.app.get(EventRetention).run();
    expect(await countOf('event_log')).toBe(1);
    const left = await sql<{ subject: string }>('SELECT "subject" FROM "event_deliveries" ORDER BY "subject"');
    expect(left.map(({ subject }) => subject)).toEqual(['delivered 29', 'failed 29', 'pending 29', 'pending 31']);
  });

  it('is kept if its retention is 0 days', async () => {
    const oldRows = orders.service.app.get(OldRows);
    const audit = `"at", "actor", "action", "account_id", "detail"`;
    await sql(`INSERT INTO "audit_records" (${audit}) VALUES (0, '', '', 778, ''), (0, '', '', 778, '')`);
    const columns = '"id", "account_id", "sha256", "masked", "scopes", "created_at", "revoked_at"';
    await sql(`INSERT INTO "api_keys" (${columns}) VALUES ('old', 1, 'old', '', '', 0, 0)`);
    await new Retention(oldRows, { ...new Env(), AUDIT_RETENTION_DAYS: 0, KEY_RETENTION_DAYS: 0 }).run();
    expect(await sql('SELECT 1 FROM "audit_records" WHERE "account_id" = 778')).toHaveLength(2);
    expect(await idsOf()).toContain('old');
    await orders.service.app.get(Retention).run();
    expect(await idsOf()).not.toContain('old');
  });

  it('is not decided by a wrong clock of the service, which the metrics of PostgreSQL tell', async () => {
    const { app } = orders.service;
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    await expire();
    // SQLite has no clock of its own.
    const ahead = await metric('petstore_database_clock_difference_seconds');
    expect(Math.abs(ahead - (orders.clock.ms - Date.now()) / 1_000) < 10).toBe(onPostgres);
    const keys = await countOf('api_keys');
    const order = await place(await orders.addPet());
    const statuses: string[] = [];
    const runAfter = async (days: number, hours: number) => {
      orders.clock.advanceMs(days * DAY_MS + hours * HOUR_MS);
      await expire();
      await app.get(Retention).run();
      statuses.push(await statusOf(order));
    };
    await runAfter(400, 0);
    await runAfter(0, 0.5);
    await runAfter(-400, -0.5);
    await runAfter(400, 0);
    await runAfter(0, 0.5);
    expect(statuses).toEqual(Array.from({ length: 5 }, () => 'placed'));
    expect(await countOf('api_keys')).toBe(keys);
    const leaps = warned.mock.calls.filter(([line]) => JSON.stringify(line).includes('clock was set'));
    expect(leaps).toHaveLength(onPostgres ? 0 : 3);
    // SQLite has no other clock.
    await runAfter(0, 0.5);
    expect(statuses.at(-1)).toBe(onPostgres ? 'placed' : 'cancelled');
    orders.clock.advanceMs(-400 * DAY_MS - HOUR_MS);
  });
});
