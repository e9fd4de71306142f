import { existsSync, readdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { collected } from '../support/collected.js';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import type { NewKey } from '../../src/accounts/keys/key-options.js';
import { runKeys } from '../../src/programs/run-keys.js';
import { FakeClock, trio } from '../support/app.js';
import { databaseUrl, queryDatabase } from '../support/databases.js';
import { errorOf } from '../support/expectations.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { keys, keysJson, keysOn, programIo } from '../support/keys-command-line.js';
import { until } from '../support/until.js';

interface Issued {
  readonly id: string;
  readonly key: string;
  readonly expiresAt: string;
}

/** More of a key than is ever shown again. */
const WHOLE_KEY = /psk_(live|test)_\w{5}/;

const clock = new FakeClock(Date.now());
sharePreparedApp({ clock });

const create = (account: string, ...rest: string[]) => keysJson<Issued>('create', '--account', account, ...rest);

/** A key for a command to work on. */
const given = (account: string, terms: Omit<NewKey, 'account'> = { plan: 'free' }) =>
  service.app.get(KeysService).createKey({ account, ...terms });

const list = (key: string) => service.request('/v1/pets', { key });

/** What the audit trail has of an account: action and actor, oldest first. */
async function trail(account: string): Promise<string[]> {
  const select = `SELECT action, actor, detail FROM audit_records WHERE account_id = (SELECT id FROM accounts WHERE name = '${account}') ORDER BY id`;
  const records = await queryDatabase<{ action: string; actor: string; detail: string }>(service.folder, select);
  expect(JSON.stringify(records)).not.toMatch(WHOLE_KEY);
  return records.slice(2).map(({ action, actor }) => `${action} by ${actor.split(':')[0]}`);
}

/** Waits for the code of the error, as the service polls for changes. */
const untilRefused = (key: string, code: string) =>
  until(async () => {
    const response = await list(key);
    return response.status !== 200 && (await errorOf(response)).code === code;
  });

describe('beside a running service', () => {
  it('applies a change of plan, and keeps the counts', async () => {
    const { key } = await given('growing');
    expect(trio(await list(key)).limit).toBe(60);
    await keys('plan', 'growing', 'business');
    let calls = 1;
    let counts = trio(await list(key));
    await until(async () => {
      calls += 1;
      counts = trio(await list(key));
      return counts.limit === 1_000;
    });
    expect(counts.remaining).toBe(1_000 - calls - 1);
    expect(await trail('growing')).toEqual(['account.plan_changed by cli']);
  });

  it('lifts a ban', async () => {
    const { id, key } = await given('banned', { plan: 'enterprise', perMinute: 2, perDay: 100 });
    for (let n = 0; n < 4; n += 1) await list(key);
    await untilRefused(key, 'api_key_banned');
    await keys('unban', id);
    await untilRefused(key, 'rate_limit_exceeded');
    expect(await trail('banned')).toEqual(['key.unbanned by cli']);
  });
});

/** Written some seconds late. */
const withoutUse = (shown: object[]) => shown.map((key) => ({ ...key, lastUsedAt: undefined }));

it('keys of an account are refused while it is suspended, which the operator of PETSTORE_OPERATOR did', async () => {
  const { id, key } = await given('suspended');
  expect((await list(key)).status).toBe(200);
  const env = { DATABASE_URL: databaseUrl(service.folder), PETSTORE_OPERATOR: 'ops@example.com' };
  expect(await keysOn(env, 'suspend', 'suspended', '--reason', 'fraud')).toMatchObject({ code: 0 });
  await untilRefused(key, 'account_suspended');
  expect((await keys('delete', 'suspended')).stderr).toContain('Try again after');
  const { stdout } = await keys('export', 'suspended');
  expect(JSON.parse(stdout)).toMatchObject({ api_keys: [{ id }], accounts: [{ name: 'suspended' }] });
  expect((await keys('resume', 'suspended')).code).toBe(0);
  await until(async () => (await list(key)).status === 200);
  const [resumed, suspended] = await keysJson<{ actor: string }[]>('audit', 'suspended');
  expect(suspended).toMatchObject({ actor: 'cli:ops@example.com', action: 'account.suspended' });
  expect(resumed).toMatchObject({ actor: `cli:${userInfo().username}`, action: 'account.resumed' });
});

it('keys find reads the key from standard input', async () => {
  const { id, key } = await given('found');
  const { io, ran } = programIo({ DATABASE_URL: databaseUrl(service.folder) }, `  ${key}\r\nmore\n`);
  const { code, stdout } = ran((await runKeys(['find', '--json'], io)).exitCode);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { id, account: 'found' }]);
});

describe('keys list', () => {
  it('shows the same fields as the API', async () => {
    const manager = await create('same', '--plan', 'pro', '--name', 'Ops', '--scopes', 'keys:manage,pets:read');
    const { body } = await service.json<object[]>('/v1/keys', { key: manager.key });
    const listed = await keysJson<{ account: string }[]>('list');
    expect(withoutUse(listed.filter(({ account }) => account === 'same'))).toEqual(withoutUse(body));
    expect(body).toMatchObject([{ name: 'Ops', account: 'same', plan: 'pro' }]);
  });

  it('masks keys, and escapes characters of older names that a terminal would interpret', async () => {
    await create('reordered', '--plan', 'free', '--name', 'Old');
    const name = 'Rocky\u202e\u2028👩‍🚀';
    await queryDatabase(service.folder, `UPDATE api_keys SET name = '${name}' WHERE name = 'Old' RETURNING id`);
    const [text, json] = [(await keys('list')).stdout, (await keys('list', '--json')).stdout];
    expect(text).toContain(' Rocky\\u202e\\u2028👩‍🚀 ');
    expect(json).not.toMatch(/[\u202e\u2028]/);
    expect((JSON.parse(json) as { name: string }[]).map((key) => key.name)).toContain(name);
    expect(text + json).not.toMatch(WHOLE_KEY);
  });
});

const SECRET = `psk_live_${'x'.repeat(36)}`;
const TEST_SECRET = SECRET.replace('live', 'test');
const START = ['create', '--account', 'x', '--plan'];
const failure = (words: string) => ({ code: 1, stdout: '', stderr: expect.stringContaining(words) });

describe('a command line', () => {
  it.each<[string[], string, number]>([
    [[], 'missing command; --help', 2],
    [[...START, 'free', '--scopes', SECRET], 'scopes look like', 2],
    [['revoke', 'key_1', SECRET], 'too many arguments', 2],
    [['revoke', SECRET], 'no API key', 1],
    [['plan', 'nobody', 'free'], 'nobody', 1],
    [['usage', '--days', '31'], 'an integer from 1 to 30', 2],
    [['usage', '--by', 'key'], '--by needs an account', 2],
    [['create', '--acount', 'x'], "unknown option '--acount' (Did you mean --account?)", 2],
    [['suspend', 'x'], '--reason', 2],
    [['limits', 'x', '--per-minute', '5'], '--until', 2],
    [['find', SECRET], 'typing error', 1],
    [['plan', SECRET, 'free'], 'no account named "psk_…"', 1],
    [['resume', TEST_SECRET], 'no account named "psk_…"', 1],
  ])('that is invalid (2) or cannot be done (1) is refused in one line: %j', async (args, clue, code) => {
    const ran = await keys(...args);
    expect(ran).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^.+\n$/) });
    expect(ran.stderr).toContain(clue);
    expect(ran.stderr).not.toMatch(/psk_(live|test)_x/);
    const listed = await collected(service.app.get(KeysService).listKeys());
    expect(listed.filter(({ account }) => account === 'x')).toEqual([]);
  });

  it.each([['help'], ['--help'], ['help', 'create'], ['pause', '--help']])('prints help: %s', async (...args) => {
    const stdout = expect.stringMatching(/^Usage: petstore-keys /);
    expect(await keys(...args)).toEqual({ code: 0, stdout, stderr: '' });
  });

  it('names the script that started it in its help', async () => {
    const { stdout } = await keysOn({ npm_lifecycle_event: 'keys' }, '--help');
    expect(stdout).toMatch(/^Usage: npm run --silent keys -- /);
  });

  it('creates a database only with the first key', async () => {
    const folder = join(service.folder, 'new');
    const file = join(folder, 'petstore.sqlite');
    const env = { DATABASE_URL: `sqlite:${file}` };
    expect(await keysOn(env, 'list')).toEqual(failure(`There is no database at ${file}`));
    expect(existsSync(folder)).toBe(false);
    expect((await keysOn(env, 'create', '--account', 'acme', '--plan', 'free')).code).toBe(0);
    expect(readdirSync(folder)).toContain('petstore.sqlite');
  });

  it('needs valid settings, and a database that others can access', async () => {
    expect(await keysOn({ LOG_LEVEL: 'loud' }, 'list')).toEqual(failure('LOG_LEVEL'));
    expect(await keysOn({ DATABASE_URL: 'sqlite::memory:' }, 'list')).toEqual(failure('in-memory'));
  });
});

const split = (by: string) => keysJson<object[]>('usage', 'many', '--by', by);
const usage = () => keysJson<{ account: string; requests: number }[]>('usage', '--days', '2');

it('keys usage lists the requests of all accounts by outcome, most first, for people and for programs', async () => {
  const { id, key } = await create('many', '--plan', 'pro');
  await create('none', '--plan', 'free');
  for (const path of ['/v1/pets', '/v1/pets', '/v1/nowhere']) await service.request(path, { key });
  // The service writes the history every second.
  await until(async () => (await usage()).some((one) => one.account === 'many' && one.requests === 3));
  const all = await usage();
  const requests = all.map((account) => account.requests);
  expect(requests).toEqual(requests.toSorted((a, b) => b - a));
  const refused = { limited: 0, banned: 0, server_error: 0 };
  const many = { account: 'many', plan: 'pro', requests: 3, admitted: 2, client_error: 1, ...refused };
  expect(all.find(({ account }) => account === 'many')).toEqual(many);
  expect(all.find(({ account }) => account === 'none')).toMatchObject({ plan: 'free', requests: 0, admitted: 0 });
  expect(await split('operation')).toMatchObject([
    { operation: 'listPets', requests: 2, admitted: 2 },
    { operation: 'unmatched', requests: 1, client_error: 1 },
  ]);
  expect(await split('key')).toMatchObject([{ key: id, requests: 3, networks: 1 }]);
  const before = 'SELECT account_id, hour - 86400, key_id, operation, outcome, requests FROM usage_history';
  await queryDatabase(service.folder, `INSERT INTO usage_history ${before}`);
  expect(await keysJson('usage', 'many')).toMatchObject([{ requests: 3 }]);
  expect(await keysJson('usage', 'none')).toEqual([all.find(({ account }) => account === 'none')]);
  expect((await keys('usage')).stdout).toMatch(
    /^ACCOUNT +PLAN +REQUESTS +ADMITTED +LIMITED +BANNED +CLIENT ERROR +SERVER ERROR\n/,
  );
});

it('keys audit lists the operations of an account, newest first, for people and for programs', async () => {
  const { id } = await given('watched');
  await keys('revoke', id);
  const entries = await keysJson<Record<string, unknown>[]>('audit', 'watched');
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
