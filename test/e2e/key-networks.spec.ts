// @postgres: the larger number of a key and an hour is kept by a statement of the database.
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ACCOUNT_TABLES } from '../../src/account-tables.js';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import type { IssuedKey } from '../../src/accounts/keys/key-responses.dto.js';
import { KeyNetworks } from '../../src/rate-limit/history/key-networks.js';
import { OldUsageDeletion, UsageHistory, UsageRecorder } from '../../src/rate-limit/history/usage-history.js';
import { FakeClock, startApp, type TestApp } from '../support/app.js';
import { onPostgres, queryDatabase } from '../support/databases.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { captureOutput, linesOf } from '../support/main-program.js';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
const NOON = '2026-11-21T12:00:00.000Z';
const START = Date.parse(NOON) / 1_000;
const WARNING = 'API key used from unusually many networks';

const clock = new FakeClock();
const env = { TRUST_PROXY: '127.0.0.1/32', LOG_LEVEL: 'warn' };
let key: IssuedKey;
let accountId: number;
let output: () => string;

sharePreparedApp({ clock, env });
beforeEach(async () => {
  clock.set(NOON);
  // Its timer would write between two requests of a test.
  await recorder().stop();
  await recorder().run();
  key = await service.createKey({ ...AMPLE, scopes: ['pets:read', 'usage:read'] });
  accountId = (await service.app.get(AccountsService).get(key.account)).id;
  output = captureOutput();
});

const recorder = (of: TestApp = service) => of.app.get(KeyNetworks);
const sql = <Row extends object>(text: string) => queryDatabase<Row>(service.folder, text);
const usage = (days: number) => service.app.get(UsageHistory).ofAll(days, accountId, 'key');
const warnings = () => linesOf(output(), WARNING);
/** An address in each of as many networks. */
const addresses = (count: number) => Array.from({ length: count }, (_, n) => `10.0.${n}.${n % 7}`);

async function call(from: readonly string[], to: TestApp = service, path = '/v1/pets', as = key.key): Promise<void> {
  for (const address of from) await to.request(path, { key: as, headers: { 'X-Forwarded-For': address } });
}

/** Writes what was counted, and returns the numbers of the key by hour. */
async function numbers(of: TestApp = service): Promise<number[]> {
  await recorder(of).run();
  const rows = await sql<{ networks: number | string }>(
    `SELECT "networks" FROM "key_networks" WHERE "key_id" = '${key.id}' ORDER BY "hour"`,
  );
  return rows.map(({ networks }) => Number(networks));
}

/** An instance beside the shared one, on its database. */
async function besides(use: (other: TestApp) => Promise<void>): Promise<void> {
  const other = await startApp({ clock, env, folder: service.folder });
  await recorder(other).stop();
  await use(other).finally(() => other.stop({ keepData: true }));
}

describe('the networks of a key', () => {
  it.each([
    ['IPv4 by /24', ['203.0.113.1', '203.0.113.200', '203.0.114.1'], 2],
    ['IPv4-mapped as IPv4', ['203.0.113.1', '::ffff:203.0.113.2'], 1],
    ['IPv6 by /48', ['2001:db8:1::1', '2001:db8:1:2:3::4', '2001:db8:2::1'], 2],
    ['each once, in whatever order', ['203.0.113.1', '2001:db8::1', '203.0.113.1', '2001:db8::1'], 2],
  ])('are counted: %s', async (_, from, expected) => {
    await call(from);
    expect(await numbers()).toEqual([expected]);
  });

  it('are counted anew each hour', async () => {
    await call(addresses(3));
    clock.advanceSeconds(HOUR_SECONDS - 1);
    await call(['192.0.2.1']);
    clock.advanceSeconds(1);
    await call(['192.0.2.1']);
    expect(await numbers()).toEqual([4, 1]);
  });

  it('are those of requests that use quota and are admitted', async () => {
    await call(['192.0.2.1'], service, '/v1/usage');
    await call(['198.51.100.1'], service, '/v1/pets', 'psk_live_nonsense');
    expect(await numbers()).toEqual([]);
    key = await service.createKey({ plan: 'enterprise', perMinute: 2, perDay: 10 });
    await call(addresses(5));
    expect(await numbers()).toEqual([2]);
  });

  it('are at most 256', async () => {
    await call(addresses(256));
    await call(['192.0.2.1', '198.51.100.1']);
    expect(await numbers()).toEqual([256]);
  });

  it('take a bounded amount of memory', async () => {
    const caller = { accountId: 0, account: 'gone' } as Parameters<KeyNetworks['add']>[0];
    // No other test counts in this hour.
    clock.advanceSeconds(-HOUR_SECONDS);
    for (let n = 0; n < 99_999; n += 1) recorder().add({ ...caller, keyId: `${n}` }, '192.0.2.1');
    await call(addresses(3));
    expect(await numbers()).toEqual([1]);
    clock.advanceSeconds(HOUR_SECONDS);
    await call(addresses(3));
    expect(await numbers()).toEqual([1, 3]);
    // Nothing is written of an account that does not exist.
    expect(await sql(`SELECT 1 FROM "key_networks" WHERE "account_id" = 0`)).toEqual([]);
  });

  it('are the most that an instance has seen, also after a restart', async () => {
    await call(addresses(4));
    expect(await numbers()).toEqual([4]);
    await besides(async (other) => {
      await call(addresses(2), other);
      expect(await numbers(other)).toEqual([4]);
      await call(addresses(6), other);
      expect(await numbers(other)).toEqual([6]);
    });
    await call(addresses(5));
    expect(await numbers()).toEqual([6]);
  });

  it('are stored as a number only: no table has an address', async () => {
    await call(['203.0.113.77', '2001:db8:77::1']);
    await service.app.get(UsageRecorder).run();
    expect(await numbers()).toEqual([2]);
    const list = onPostgres
      ? `SELECT table_name AS "name" FROM information_schema.tables WHERE table_schema = 'public'`
      : `SELECT "name" FROM "sqlite_master" WHERE "type" = 'table'`;
    let stored = '';
    for (const { name } of await sql<{ name: string }>(list))
      stored += JSON.stringify(await sql(`SELECT * FROM "${name}"`));
    expect(stored).toContain(key.id);
    expect(stored).not.toMatch(/203\.0\.113|2001:0?db8/);
  });

  it('are in keys usage as the largest number of an hour in the period, and in the export of the account', async () => {
    await call(addresses(3));
    clock.advanceSeconds(DAY_SECONDS);
    await call(addresses(1));
    clock.advanceSeconds(HOUR_SECONDS);
    await call(addresses(2));
    await numbers();
    await service.app.get(UsageRecorder).run();
    expect(await usage(1)).toMatchObject([{ key: key.id, requests: 3, networks: 2 }]);
    expect(await usage(2)).toMatchObject([{ key: key.id, requests: 6, networks: 3 }]);
    let text = '';
    for await (const part of service.app.get(AccountsService).export(key.account, ACCOUNT_TABLES)) text += part;
    expect((JSON.parse(text) as Record<string, unknown>)['key_networks']).toMatchObject([
      { key_id: key.id, hour: START, networks: 3 },
      { hour: START + DAY_SECONDS, networks: 1 },
      { hour: START + DAY_SECONDS + HOUR_SECONDS, networks: 2 },
    ]);
  });

  it('are deleted with the usage history, after 30 days', async () => {
    // PostgreSQL has a clock of its own.
    clock.ms = Date.now();
    const rowOf = (days: number) => `(${accountId}, '${key.id}', ${clock.nowSeconds() - days * DAY_SECONDS}, ${days})`;
    await sql(
      `INSERT INTO "key_networks" ("account_id", "key_id", "hour", "networks") VALUES ${rowOf(29)}, ${rowOf(32)}`,
    );
    // On SQLite, nothing is deleted in the first hour after the clock was set.
    for (const seconds of [0, HOUR_SECONDS]) {
      clock.advanceSeconds(seconds);
      await service.app.get(OldUsageDeletion).run();
    }
    expect(await numbers()).toEqual([29]);
  });
});

describe('a key that is used from unusually many networks', () => {
  it('is logged once an hour by all instances together, with its account and without addresses', async () => {
    await call(addresses(3));
    await numbers();
    clock.advanceSeconds(HOUR_SECONDS);
    await call(addresses(14));
    await numbers();
    expect(warnings()).toEqual([]);
    await call(addresses(15));
    await numbers();
    const line = { level: 'warn', keyId: key.id, accountId, account: key.account, networks: 15, usual: 3 };
    expect(warnings()).toMatchObject([{ ...line, hour: '2026-11-21T13:00:00.000Z' }]);
    expect(output()).not.toContain('10.0.');
    await call(addresses(20));
    await numbers();
    await besides(async (other) => {
      await call(addresses(21), other);
      expect(await numbers(other)).toEqual([3, 21]);
    });
    expect(warnings()).toHaveLength(1);
    // The hour before is usual now.
    clock.advanceSeconds(HOUR_SECONDS);
    await call(addresses(30));
    await numbers();
    expect(warnings()).toHaveLength(1);
  });

  it.each([
    [10, 'in the hour before', HOUR_SECONDS, 1],
    [50, 'more than seven days before', 7 * DAY_SECONDS + HOUR_SECONDS, 0],
  ])('has at least %i if it was used %s', async (least, _, seconds, usual) => {
    await call(addresses(1));
    await numbers();
    clock.advanceSeconds(seconds);
    await call(addresses(least - 1));
    await numbers();
    expect(warnings()).toEqual([]);
    await call(addresses(least));
    await numbers();
    expect(warnings()).toMatchObject([{ networks: least, usual }]);
  });
});
