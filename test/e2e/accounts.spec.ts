// @postgres: everything of an account is deleted and exported by statements of the database.
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ACCOUNT_TABLES } from '../../src/account-tables.js';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import type { IssuedKey } from '../../src/accounts/keys/key-responses.dto.js';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { ActiveKeys } from '../../src/auth/keys/active-keys.js';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { KeyNetworks } from '../../src/rate-limit/history/key-networks.js';
import { UsageRecorder } from '../../src/rate-limit/history/usage-history.js';
import { CounterPersistence } from '../../src/rate-limit/persistence/counter-persistence.js';
import { FakeClock, trio } from '../support/app.js';
import { onPostgres, queryDatabase } from '../support/databases.js';
import { errorOf, expectTrio, refusalOf } from '../support/expectations.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { WEBHOOK_KEY } from '../support/webhook-settings.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const SUSPENDED = '403 account_suspended';
const clock = new FakeClock();

let count = 0;
let account: string;
let key: IssuedKey;

sharePreparedApp({ clock, env: { WEBHOOK_KEY } });
beforeEach(async () => {
  clock.set('2026-11-21T12:00:00.000Z');
  account = `account ${(count += 1)}`;
  key = await issue();
});

const accounts = () => service.app.get(AccountsService);
const issue = () => service.app.get(KeysService).createKey({ account, plan: 'pro', scopes: SCOPES });
const call = (path = '/v1/pets', method = 'GET', as = key) => service.request(path, { key: as, method });
const send = <Body>(path: string, body: unknown, method = 'POST') =>
  service.json<Body>(path, { key, method, body, headers: { 'Idempotency-Key': `${path} ${count}` } });
const idOf = async () => (await accounts().get(account)).id;
const sql = <Row extends object>(text: string) => queryDatabase<Row>(service.folder, text);

describe('a suspended account', () => {
  it('is refused with all its keys, new ones too, for every operation, until it is resumed', async () => {
    const other = await service.createKey({ account: 'another' });
    await accounts().suspend(account, 'fraud');
    const late = await issue();
    for (const path of ['/v1/pets', '/v1/usage', '/v1/nowhere']) expect(await refusalOf(call(path))).toBe(SUSPENDED);
    expect(await refusalOf(call('/v1/keys', 'POST'))).toBe(SUSPENDED);
    expect(await refusalOf(call('/v1/pets', 'GET', late))).toBe(SUSPENDED);
    expect((await call('/v1/pets', 'GET', other)).status).toBe(200);
    await accounts().resume(account);
    for (const one of [key, late]) expect((await call('/v1/pets', 'GET', one)).status).toBe(200);
    await expect(accounts().resume(account)).rejects.toThrow('is not suspended');
  });

  it('uses quota like any 403, and its message does not tell the reason', async () => {
    await accounts().suspend(account, 'fraud');
    const response = await call();
    expectTrio(response);
    expect(trio(response)).toMatchObject({ limit: 300, remaining: 299 });
    expect((await errorOf(response)).message).not.toContain('fraud');
    const [record] = await accounts().readAudit(account);
    expect(record).toMatchObject({ action: 'account.suspended', detail: expect.stringContaining('fraud') });
  });

  it('that is suspended again stays suspended since the first time', async () => {
    const { suspendedAt } = await accounts().suspend(account, 'fraud');
    clock.advanceSeconds(30);
    expect((await accounts().suspend(account, 'more fraud')).suspendedAt).toBe(suspendedAt);
    expect((await accounts().get(account)).suspendedAt).toBe(suspendedAt);
  });

  it('has revoked keys that are 401 as before, and keys that do no background work', async () => {
    const revoked = await issue();
    await service.app.get(KeysService).revoke(revoked.id);
    const active = service.app.get(ActiveKeys);
    expect([...(await active.find([key.id, revoked.id])).keys()]).toEqual([key.id]);
    await accounts().suspend(account, 'fraud');
    expect(await refusalOf(call('/v1/pets', 'GET', revoked))).toBe('401 api_key_revoked');
    expect(await active.find([key.id])).toEqual(new Map());
  });
});

it('the audit records of an account are the last 200', async () => {
  const id = await idOf();
  const values = Array.from({ length: 201 }, (_, n) => `(0, '', 'key.renamed', ${id}, 'a${n}', '')`);
  const columns = '"at", "actor", "action", "account_id", "key_id", "detail"';
  await sql(`INSERT INTO "audit_records" (${columns}) VALUES ${values.join()}`);
  const listed = (await accounts().readAudit(account)).map(({ keyId }) => keyId);
  expect(listed).toEqual(Array.from({ length: 200 }, (_, n) => `a${200 - n}`));
});

const usage = async () => (await service.json<Record<string, unknown>>('/v1/usage', { key })).body;
const limit = (perMinute: number, perDay: number, untilMs: number) =>
  accounts().limit(account, { perMinute, perDay }, untilMs);

describe('other limits of an account', () => {
  it('hold until their end, whatever the plan, and getUsage tells it', async () => {
    await call();
    const endMs = clock.nowMs() + 30_500;
    await accounts().limit(account, { perMinute: 5_000 }, endMs);
    expect(trio(await call())).toMatchObject({ limit: 5_000, remaining: 4_998 });
    expect(await usage()).toMatchObject({ limitsUntil: '2026-11-21T12:00:30.500Z', day: { limit: 10_000 } });
    const listed = (await accounts().list()).find((one) => one.account === account);
    expect(listed).toMatchObject({ perMinute: 5_000, perDay: 10_000, limitsUntil: '2026-11-21T12:00:30.500Z' });
    const [record] = await accounts().readAudit(account);
    const detail = JSON.stringify({ otherPerMinute: 5_000, otherPerDay: 10_000, otherUntil: endMs });
    expect(record).toMatchObject({ action: 'account.limits_changed', keyId: null, detail });
    clock.ms = endMs - 1;
    expect(trio(await call())).toMatchObject({ limit: 5_000 });
    clock.ms = endMs;
    expect(trio(await call())).toMatchObject({ limit: 300, remaining: 296 });
    expect(await usage()).not.toHaveProperty('limitsUntil');
  });

  it('end with a change of plan', async () => {
    await accounts().limit(account, { perMinute: 1, perDay: 2 }, clock.nowMs() + DAY_MS);
    expect(trio(await call())).toMatchObject({ limit: 1, remaining: 0 });
    await accounts().changePlan(account, 'business', {});
    expect(trio(await call())).toMatchObject({ limit: 1_000 });
  });

  it('are refused if they end in the past, or a day has less than a minute', async () => {
    await expect(limit(1, 2, clock.nowMs())).rejects.toThrow('must end in the future');
    await expect(limit(3, 2, clock.nowMs() + 1)).rejects.toThrow('must not be below');
  });
});

/** Rows of an account by table, those of none left out. */
async function stored(id: number): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  for (const { table, of } of ACCOUNT_TABLES) {
    const found = await sql(`SELECT 1 FROM "${table}" WHERE ${of(id)}`);
    if (found.length > 0) rows[table] = found.length;
  }
  return rows;
}

/** Lets the account have rows in every table. @returns the identifier of an order, which is open */
async function useEverything(): Promise<number> {
  const pet = await send<{ id: number }>('/v1/pets', { name: 'Bella', categoryId: 1, status: 'available' });
  const order = await send<{ id: number }>('/v1/store/orders', { petId: pet.body.id });
  expect(order.status).toBe(201);
  const { body } = await service.json<{ id: number }>('/v1/webhooks', { key, body: { url: 'https://example.com/' } });
  await sql(`INSERT INTO "event_deliveries" ("subscription", "place", "subject", "state", "attempts", "due_at", "at")
    VALUES ('webhook:${body.id}', 1, 'pet:1', 'delivered', 1, 0, 0) RETURNING "place"`);
  await sql(`INSERT INTO "key_bans" ("key_id", "strikes_start", "strikes", "banned_until", "ban_starts")
    VALUES ('${key.id}', 0, 0, 0, '') RETURNING "key_id"`);
  // Without quota, requests are counted by key.
  await call('/v1/usage');
  await flush();
  return order.body.id;
}

async function flush(): Promise<void> {
  await service.app.get(UsageRecorder).run();
  await service.app.get(KeyNetworks).run();
  await service.app.get(CounterPersistence).run();
}

const remove = () => accounts().delete(account, ACCOUNT_TABLES);

describe('an export', () => {
  it('of very many rows is written in parts of a thousand, with each row once', async () => {
    const id = await idOf();
    const rows = Array.from({ length: 2_500 }, (_, n) => `(${n}, '', 'many', ${id}, '{}')`);
    const columns = '"at", "actor", "action", "account_id", "detail"';
    await sql(`INSERT INTO "audit_records" (${columns}) VALUES ${rows.join()}`);
    const parts: string[] = [];
    for await (const part of accounts().export(account, ACCOUNT_TABLES)) parts.push(part);
    const exported = JSON.parse(parts.join('')) as { audit_records: { at: number; action: string }[] };
    const times = exported.audit_records.filter(({ action }) => action === 'many').map(({ at }) => Number(at));
    expect(times.toSorted((one, other) => one - other)).toEqual(rows.map((_, n) => n));
    expect(Math.max(...parts.map((part) => part.split('"many"').length - 1))).toBeLessThanOrEqual(1_000);
  });

  it('has all that is stored of an account, without hashes and secrets', async () => {
    await useEverything();
    let text = '';
    for await (const part of accounts().export(account, ACCOUNT_TABLES)) text += part;
    const exported = JSON.parse(text) as Record<string, object[]>;
    const rows = Object.fromEntries(Object.entries(exported).map(([table, all]) => [table, all.length]));
    expect(rows).toEqual(await stored(await idOf()));
    expect(Object.keys(rows)).toHaveLength(ACCOUNT_TABLES.length);
    expect(exported['accounts']).toMatchObject([{ name: account, plan: 'pro' }]);
    expect(text).not.toMatch(/sha256|secret|fingerprint|psk_live_\w{5}/);
  });
});

it('the tables with rows of accounts are all that can have some', async () => {
  const columns = onPostgres
    ? `SELECT table_name AS "name", string_agg(column_name, ' ') AS "columns" FROM information_schema.columns
        WHERE table_schema = 'public' GROUP BY table_name`
    : `SELECT m."name", group_concat(c."name", ' ') AS "columns" FROM "sqlite_master" m, pragma_table_info(m."name") c
        WHERE m."type" = 'table' GROUP BY m."name"`;
  const tables = await sql<{ name: string; columns: string }>(columns);
  const owned = tables.filter((one) => /\b(account_id|key_id|subscription|lease_owner|plan)\b/.test(one.columns));
  const known = new Set<string>(ACCOUNT_TABLES.map(({ table }) => table));
  known.delete('usage_windows');
  expect(owned.map(({ name }) => name).toSorted()).toEqual([...known].toSorted());
});

describe('deleting an account', () => {
  it.each(['placed', 'approved'])(
    'needs its suspension a minute before, and that its orders have ended: %s',
    async (status) => {
      const order = await useEverything();
      if (status !== 'placed') await send(`/v1/store/orders/${order}`, { status }, 'PATCH');
      await expect(remove()).rejects.toThrow('is not suspended');
      await accounts().suspend(account, 'asked for');
      clock.advanceMs(MINUTE_MS - 1);
      await expect(remove()).rejects.toThrow('Try again after 2026-11-21T12:01:00.000Z');
      clock.advanceMs(1);
      await expect(remove()).rejects.toThrow('has open orders');
      await accounts().resume(account);
      expect((await send(`/v1/store/orders/${order}`, { status: 'cancelled' }, 'PATCH')).status).toBe(200);
      expect(Object.keys(await stored(await idOf()))).toHaveLength(ACCOUNT_TABLES.length);
    },
  );

  it('removes all of it but the audit records, and nothing comes back from an instance that still counts', async () => {
    const [order, id] = [await useEverything(), await idOf()];
    const counted = `SELECT "subject" FROM "usage_windows" WHERE "subject" IN ('account:${id}', 'key:${key.id}')`;
    const subjects = () => sql(counted);
    expect(await subjects()).toHaveLength(2);
    await send(`/v1/store/orders/${order}`, { status: 'cancelled' }, 'PATCH');
    const before = await accounts().list();
    await accounts().suspend(account, 'asked for');
    clock.advanceMs(MINUTE_MS);
    expect(await refusalOf(call())).toBe(SUSPENDED);
    expect(await remove()).toMatchObject({ id, name: account });
    expect(await subjects()).toEqual([]);
    // Counted before, and written after.
    await flush();
    expect(Object.keys(await stored(id))).toEqual(['audit_records']);
    expect(await refusalOf(call())).toBe('401 invalid_api_key');
    const [record] = await accounts().readAudit();
    expect(record).toMatchObject({ action: 'account.deleted', detail: JSON.stringify({ name: account }) });
    const after = await accounts().list();
    expect(after.map((one) => one.id)).toEqual(before.map((one) => one.id).filter((one) => one !== id));
    await expect(remove()).rejects.toThrow('There is no account');
    // Its records remain, by its identifier.
    const ofDeleted = await accounts().readAudit(String(id));
    expect(ofDeleted.map(({ action }) => action).slice(0, 2)).toEqual(['account.deleted', 'account.suspended']);
    await expect(accounts().readAudit(account)).rejects.toThrow('There is no account');
  });
});
