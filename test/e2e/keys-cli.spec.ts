import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import type { NewKey } from '../../src/accounts/keys/key-options.js';
import { trio } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { databaseUrl, queryDatabase } from '../support/databases.js';
import { type Ended, runKeys } from '../support/service-process.js';
import { within, withinASecond } from '../support/until.js';
import { service, sharePreparedApp } from '../support/folders.js';

interface Issued {
  readonly id: string;
  readonly key: string;
  readonly account: string;
  readonly plan: string;
  readonly expiresAt: string;
}

/** More of a key than is ever shown again. */
const WHOLE_KEY = /psk_(live|test)_\w{5}/;

sharePreparedApp();

const keys = (...args: string[]): Promise<Ended> =>
  runKeys(args, { folder: service.folder, env: { DATABASE_URL: databaseUrl(service.folder) } });

/** What a command prints for programs: one line. */
async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await keys(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^[^\n]+\n$/);
  return JSON.parse(stdout) as T;
}

const create = (account: string, ...rest: string[]) => json<Issued>('create', '--account', account, ...rest);

/** A key for a command to work on. */
const given = (account: string, terms: Omit<NewKey, 'account'> = { plan: 'free' }) =>
  service.app.get(KeysService).createKey({ account, ...terms });

const list = (key: string) => service.request('/v1/pets', { key });

/** What the audit trail has of an account: action and actor, oldest first. */
async function trail(account: string): Promise<string[]> {
  const select = `SELECT action, actor, detail FROM audit_records WHERE account_id = (SELECT id FROM accounts WHERE name = '${account}') ORDER BY id`;
  const records = await queryDatabase<{ action: string; actor: string; detail: string }>(service.folder, select);
  expect(JSON.stringify(records)).not.toMatch(WHOLE_KEY);
  return records.map(({ action, actor }) => `${action} by ${actor.split(':')[0]}`);
}

const MADE = ['account.created by unknown', 'key.created by unknown'];

/** The code of the error that is expected within a second. */
async function codeWithinASecond(key: string, expected: string): Promise<string> {
  const call = async () => (await errorOf(await list(key)).catch(() => ({ code: 'none' }))).code;
  return (await withinASecond(call, (code) => code === expected)).result;
}

describe('keys create', () => {
  it('prints one line with a key that is valid at once', async () => {
    const issued = await create('first', '--plan', 'pro');
    expect(issued).toMatchObject({
      id: expect.stringMatching(/^key_/),
      key: expect.stringMatching(/^psk_live_[0-9A-Za-z]{36}$/),
      account: 'first',
      plan: 'pro',
    });
    const response = await list(issued.key);
    expect([response.status, trio(response).limit]).toEqual([200, 300]);
  });

  it('creates keys with scopes, an expiry and custom limits', async () => {
    const terms = ['--plan', 'enterprise', '--per-minute', '5', '--per-day', '7'];
    const { key, expiresAt } = await create('narrow', ...terms, '--scopes', 'pets:read', '--expires-in', '90d');
    expect(key).toMatch(/^psk_live_/);
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 90 * 86_400_000)).toBeLessThan(60_000);
    expect(trio(await list(key))).toMatchObject({ limit: 5, remaining: 4 });
    expect(await errorOf(await service.post('/v1/pets', key, '{}'))).toMatchObject({ code: 'insufficient_scope' });
  });
});

describe('beside a running service', () => {
  it('refuses a revoked key within a second', async () => {
    const { id, key } = await given('revoked');
    expect((await list(key)).status).toBe(200);
    expect(await keys('revoke', id)).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
    expect(await codeWithinASecond(key, 'api_key_revoked')).toBe('api_key_revoked');
    expect(await trail('revoked')).toEqual([...MADE, 'key.revoked by cli']);
  });

  it('refuses a paused key within a second, until it is resumed', async () => {
    const { id, key } = await given('paused');
    expect((await list(key)).status).toBe(200);
    expect(await keys('pause', id)).toMatchObject({ code: 0, stdout: `${id} is paused.\n` });
    expect(await codeWithinASecond(key, 'api_key_paused')).toBe('api_key_paused');
    expect(await json<object>('show', id)).toMatchObject({ id, account: 'paused', pausedAt: expect.any(String) });
    expect(await keys('resume', id)).toMatchObject({ code: 0, stdout: `${id} is not paused.\n` });
    expect((await list(key)).status).toBe(200);
    expect(await trail('paused')).toEqual([...MADE, 'key.paused by cli', 'key.resumed by cli']);
  });

  it('accepts a rotated key for the overlap only', async () => {
    const old = await given('rotated');
    expect(trio(await list(old.key)).remaining).toBe(59);
    const next = await json<Issued>('rotate', old.id, '--overlap', '24h');
    expect(next.key).not.toBe(old.key);
    expect(trio(await list(old.key)).remaining).toBe(58);
    expect(trio(await list(next.key)).remaining).toBe(57);
    await json<Issued>('rotate', next.id, '--overlap', '0s');
    expect(await codeWithinASecond(next.key, 'api_key_expired')).toBe('api_key_expired');
    expect((await list(old.key)).status).toBe(200);
    expect(await trail('rotated')).toEqual([
      ...MADE,
      'key.created by cli',
      'key.rotated by cli',
      'key.created by cli',
      'key.rotated by cli',
    ]);
  });

  it('applies new scopes of a key within a second', async () => {
    const { id, key } = await given('scoped', { plan: 'free', scopes: ['pets:read'] });
    expect((await errorOf(await service.request('/v1/categories', { key }))).code).toBe('insufficient_scope');
    expect(await json<object>('scopes', id, 'categories:read,orders:read')).toMatchObject({
      id,
      scopes: ['categories:read', 'orders:read'],
    });
    expect(await codeWithinASecond(key, 'insufficient_scope')).toBe('insufficient_scope');
    expect((await service.request('/v1/categories', { key })).status).toBe(200);
    expect(await trail('scoped')).toEqual([...MADE, 'key.scopes_changed by cli']);
  });

  it('applies a change of plan within a second, and keeps the counts', async () => {
    const { key } = await given('growing');
    expect(trio(await list(key)).limit).toBe(60);
    expect(await keys('plan', 'growing', 'business')).toMatchObject({ code: 0, stderr: '' });
    const { result, calls } = await withinASecond(
      async () => trio(await list(key)),
      ({ limit }) => limit === 1_000,
    );
    expect(result).toMatchObject({ limit: 1_000, remaining: 999 - calls });
    expect(await trail('growing')).toEqual([...MADE, 'account.plan_changed by cli']);
  });

  it('lifts a ban within a second', async () => {
    const { id, key } = await given('banned', { plan: 'enterprise', perMinute: 2, perDay: 100 });
    for (let n = 0; n < 4; n += 1) await list(key);
    expect((await errorOf(await list(key))).code).toBe('api_key_banned');
    expect(await keys('unban', id)).toMatchObject({ code: 0 });
    expect(await codeWithinASecond(key, 'rate_limit_exceeded')).toBe('rate_limit_exceeded');
    expect(await trail('banned')).toEqual([...MADE, 'key.unbanned by cli']);
  });
});

/** Written some seconds late. */
const withoutUse = (shown: object[]) => shown.map((key) => ({ ...key, lastUsedAt: undefined }));

describe('keys list', () => {
  it('shows the same fields as the API', async () => {
    const manager = await create('same', '--plan', 'pro', '--name', 'Ops', '--scopes', 'keys:manage,pets:read');
    await list(manager.key);
    const overHttp = (await (await service.request('/v1/keys', { key: manager.key })).json()) as object[];
    const listed = await json<{ account: string }[]>('list');
    expect(withoutUse(listed.filter(({ account }) => account === 'same'))).toEqual(withoutUse(overHttp));
    expect(overHttp).toMatchObject([{ name: 'Ops', account: 'same', plan: 'pro' }]);
  });

  it('escapes characters of older names that a terminal would interpret', async () => {
    await create('reordered', '--plan', 'free', '--name', 'Old');
    const name = 'Rocky\u202e\u2028👩‍🚀';
    await queryDatabase(service.folder, `UPDATE api_keys SET name = '${name}' WHERE name = 'Old' RETURNING id`);
    expect((await keys('list')).stdout).toContain(' Rocky\\u202e\\u2028👩‍🚀 ');
    expect((await keys('list', '--json')).stdout).not.toMatch(/[\u202e\u2028]/);
    expect((await json<{ name: string }[]>('list')).map((key) => key.name)).toContain(name);
  });

  it('masks keys', async () => {
    const issued = await given('listed');
    const [{ code, stdout }, listed] = await Promise.all([keys('list'), json<Record<string, unknown>[]>('list')]);
    expect(code).toBe(0);
    expect(stdout).toContain(issued.id);
    expect(stdout).toContain(issued.key.slice(-4));
    expect(stdout).not.toMatch(WHOLE_KEY);
    const shown = listed.find(({ id }) => id === issued.id) ?? {};
    expect(shown).toMatchObject({ account: 'listed', plan: 'free' });
    expect(Object.keys(shown)).not.toEqual(expect.arrayContaining(['name', 'revokedAt', 'lastUsedAt']));
    expect(JSON.stringify(listed)).not.toMatch(WHOLE_KEY);
  });
});

describe('invalid arguments', () => {
  it('are named in one line, exit with 2 (what cannot be done: 1), and change nothing', async () => {
    const secret = `psk_live_${'x'.repeat(36)}`;
    const start = ['create', '--account', 'x', '--plan'];
    const cases: [string[], string, number][] = [
      [[], 'missing command', 2],
      [['create', '--plan', 'free'], '--account', 2],
      [[...start, 'gold'], 'gold', 2],
      [[...start, 'enterprise', '--per-minute', '9', '--per-day', '8'], 'per day', 2],
      [[...start, 'free', '--scopes', secret], 'scopes look like', 2],
      [[...start, 'free', '--scopes', 'pets:raed'], 'Did you mean pets:read?', 2],
      [['create', '--account', 'x'], 'A new one needs a plan', 1],
      [['revoke', 'key_1', secret], 'too many arguments', 2],
      [['show', secret], 'no API key', 1],
      [['revoke', secret], 'no API key', 1],
      [['plan', 'nobody', 'free'], 'nobody', 1],
    ];
    const ended = await Promise.all(cases.map(([args]) => keys(...args)));
    for (const [index, [, clue, exitCode]] of cases.entries()) {
      const { code, stdout, stderr } = ended[index] as Ended;
      expect([code, stdout, stderr]).toEqual([exitCode, '', expect.stringMatching(/^.+\n$/)]);
      expect(stderr).toContain(clue);
      expect(stderr).not.toMatch(/psk_live_x/);
    }
    expect((await service.app.get(KeysService).listKeys()).filter(({ account }) => account === 'x')).toEqual([]);
  });
});

describe('the keys command line', () => {
  it.each([
    ['help'],
    ['--help'],
    ['help', 'create'],
    ['create', '--help'],
    ['accounts', '--help'],
    ['pause', '--help'],
  ])('prints help: %s', async (...args) => {
    const { code, stdout, stderr } = await keys(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: npm run --silent keys -- /);
  });

  it('accepts variables of extensions and of other programs', async () => {
    const env = { RATE_OF_REVIEWS: '3', PETSTORE_REGION: 'eu', REDIS_TLS_URL: 'rediss://redis.example.com' };
    const database = { DATABASE_URL: databaseUrl(service.folder) };
    const { code, stderr } = await runKeys(['list'], { folder: service.folder, env: { ...env, ...database } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('a mistyped DATABASE_URL', () => {
  it('is refused by keys, which creates no database', async () => {
    const file = join(service.folder, 'mistyped.sqlite');
    const env = { DATABASE_URL: `sqlite:${file}` };
    const { code, stderr } = await runKeys(['list'], { folder: service.folder, env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`There is no database at ${file}`) });
    expect(existsSync(file)).toBe(false);
  });
});

/** Returns the requests of an account in the last days. */
async function historyOf(name: string, days: string) {
  const all = await json<{ account: string; requests: number }[]>('usage', '--days', days);
  expect(all.map(({ requests }) => requests)).toEqual(all.map(({ requests }) => requests).toSorted((a, b) => b - a));
  return all.find(({ account }) => account === name);
}

describe('keys usage', () => {
  it('lists the requests of all accounts by outcome, those with most first, for people and for programs', async () => {
    const { key } = await create('many', '--plan', 'pro');
    await create('none', '--plan', 'free');
    for (const path of ['/v1/pets', '/v1/pets', '/v1/nowhere']) await service.request(path, { key });
    const refused = { limited: 0, banned: 0, server_error: 0 };
    const expected = { account: 'many', plan: 'pro', requests: 3, admitted: 2, client_error: 1, ...refused };
    // The service writes the history every second.
    const { result } = await within(
      3_000,
      () => historyOf('many', '2'),
      (one) => one?.requests === 3,
    );
    expect(result).toEqual(expected);
    expect(await historyOf('none', '30')).toMatchObject({ plan: 'free', requests: 0, admitted: 0 });
    expect(await json('usage')).toEqual(await json('usage', '--days', '1'));
    const { stdout } = await keys('usage');
    expect(stdout).toMatch(/^ACCOUNT +PLAN +REQUESTS +ADMITTED +LIMITED +BANNED +CLIENT ERROR +SERVER ERROR\n/);
  });

  it.each(['0', '31', '1.5', 'all'])('refuses %s days', async (days) => {
    expect(await keys('usage', '--days', days)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('It must be an integer from 1 to 30.'),
    });
  });
});

describe('keys audit', () => {
  it('lists the operations of an account, newest first, for people and for programs', async () => {
    const { id } = await given('watched');
    await keys('revoke', id);
    const entries = await json<Record<string, unknown>[]>('audit', 'watched');
    expect(entries.map(({ action, account, keyId }) => [action, account, keyId])).toEqual([
      ['key.revoked', 'watched', id],
      ['key.created', 'watched', id],
      ['account.created', 'watched', null],
    ]);
    const { stdout } = await keys('audit');
    expect(stdout).toMatch(/^AT +ACTOR +ACTION +ACCOUNT +KEY\n/);
    expect(stdout).toMatch(new RegExp(`^\\S+Z +cli:\\S+ +key\\.revoked +watched +${id}$`, 'm'));
    expect(stdout).not.toMatch(WHOLE_KEY);
  });
});
