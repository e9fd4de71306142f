import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Sqlite from 'sqlite-driver';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import type { NewKey } from '../../src/accounts/keys/key-options.js';
import { runBackup } from '../../src/programs/run-backup.js';
import { trio } from '../support/app.js';
import { queryDatabase } from '../support/databases.js';
import { errorOf } from '../support/expectations.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { keys, keysJson, keysOn, programIo, type Ran } from '../support/keys-command-line.js';
import { until } from '../support/until.js';

interface Issued {
  readonly id: string;
  readonly key: string;
  readonly expiresAt: string;
}

/** More of a key than is ever shown again. */
const WHOLE_KEY = /psk_(live|test)_\w{5}/;

sharePreparedApp();

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
  it('refuses a revoked key', async () => {
    const { id, key } = await given('revoked');
    expect((await list(key)).status).toBe(200);
    expect(await keys('revoke', id)).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
    await untilRefused(key, 'api_key_revoked');
    expect(await trail('revoked')).toEqual(['key.revoked by cli']);
  });

  it('refuses a paused key until it is resumed', async () => {
    const { id, key } = await given('paused');
    expect((await list(key)).status).toBe(200);
    await keys('pause', id);
    await untilRefused(key, 'api_key_paused');
    await keys('resume', id);
    await until(async () => (await list(key)).status === 200);
    expect(await trail('paused')).toEqual(['key.paused by cli', 'key.resumed by cli']);
  });

  it('accepts a rotated key for the overlap only', async () => {
    const old = await given('rotated');
    expect((await list(old.key)).status).toBe(200);
    const next = await keysJson<Issued>('rotate', old.id, '--overlap', '24h');
    for (const { key } of [old, next]) expect((await list(key)).status).toBe(200);
    await keysJson<Issued>('rotate', next.id, '--overlap', '0s');
    await untilRefused(next.key, 'api_key_expired');
    expect((await list(old.key)).status).toBe(200);
    const rotation = ['key.created by cli', 'key.rotated by cli'];
    expect(await trail('rotated')).toEqual([...rotation, ...rotation]);
  });

  it('applies new scopes of a key', async () => {
    const { id, key } = await given('scoped', { plan: 'free', scopes: ['pets:read'] });
    expect((await list(key)).status).toBe(200);
    await keysJson<object>('scopes', id, 'categories:read,orders:read');
    await untilRefused(key, 'insufficient_scope');
    expect((await service.request('/v1/categories', { key })).status).toBe(200);
    expect(await trail('scoped')).toEqual(['key.scopes_changed by cli']);
  });

  it('applies a change of plan, and keeps the counts', async () => {
    const { key } = await given('growing');
    expect(trio(await list(key)).limit).toBe(60);
    await keys('plan', 'growing', 'business');
    let calls = 1;
    let counts = trio(await list(key));
    for (; counts.limit !== 1_000; calls += 1) counts = trio(await list(key));
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
const START = ['create', '--account', 'x', '--plan'];

describe('a command line', () => {
  it.each<[string[], string, number]>([
    [[], 'missing command', 2],
    [['create', '--plan', 'free'], '--account', 2],
    [[...START, 'gold'], 'gold', 2],
    [[...START, 'free', '--scopes', SECRET], 'scopes look like', 2],
    [['revoke', 'key_1', SECRET], 'too many arguments', 2],
    [['create', '--account', 'x'], 'A new one needs a plan', 1],
    [['revoke', SECRET], 'no API key', 1],
    [['plan', 'nobody', 'free'], 'nobody', 1],
    [['usage', '--days', '31'], 'an integer from 1 to 30', 2],
  ])('that is invalid (2) or cannot be done (1) is refused in one line: %j', async (args, clue, code) => {
    const ran = await keys(...args);
    expect(ran).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^.+\n$/) });
    expect(ran.stderr).toContain(clue);
    expect(ran.stderr).not.toMatch(/psk_live_x/);
    expect((await service.app.get(KeysService).listKeys()).filter(({ account }) => account === 'x')).toEqual([]);
  });

  it.each([['help'], ['--help'], ['help', 'create'], ['pause', '--help']])('prints help: %s', async (...args) => {
    expect(await keys(...args)).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Usage: npm run --silent keys -- /),
      stderr: '',
    });
  });

  it('creates a database that only its owner can read, and only with the first key', async () => {
    const folder = join(service.folder, 'new');
    const file = join(folder, 'petstore.sqlite');
    const env = { DATABASE_URL: `sqlite:${file}` };
    expect(await keysOn(env, 'list')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`There is no database at ${file}`),
    });
    expect(existsSync(folder)).toBe(false);
    expect((await keysOn(env, 'create', '--account', 'acme', '--plan', 'free')).code).toBe(0);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toContain('petstore.sqlite');
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it('needs valid settings, and a database that others can access', async () => {
    expect(await keysOn({ LOG_LEVEL: 'loud' }, 'list')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('LOG_LEVEL'),
    });
    expect(await keysOn({ DATABASE_URL: 'sqlite::memory:' }, 'list')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('in-memory'),
    });
  });
});

const usage = () => keysJson<{ account: string; requests: number }[]>('usage', '--days', '2');

describe('keys usage', () => {
  it('lists the requests of all accounts by outcome, those with most first, for people and for programs', async () => {
    const { key } = await create('many', '--plan', 'pro');
    await create('none', '--plan', 'free');
    for (const path of ['/v1/pets', '/v1/pets', '/v1/nowhere']) await service.request(path, { key });
    // The service writes the history every second.
    await until(async () => (await usage()).some((one) => one.account === 'many' && one.requests === 3));
    const all = await usage();
    const requests = all.map((account) => account.requests);
    expect(requests).toEqual(requests.toSorted((a, b) => b - a));
    const refused = { limited: 0, banned: 0, server_error: 0 };
    expect(all.find(({ account }) => account === 'many')).toEqual({
      account: 'many',
      plan: 'pro',
      requests: 3,
      admitted: 2,
      client_error: 1,
      ...refused,
    });
    expect(all.find(({ account }) => account === 'none')).toMatchObject({ plan: 'free', requests: 0, admitted: 0 });
    expect((await keys('usage')).stdout).toMatch(
      /^ACCOUNT +PLAN +REQUESTS +ADMITTED +LIMITED +BANNED +CLIENT ERROR +SERVER ERROR\n/,
    );
  });
});

describe('keys audit', () => {
  it('lists the operations of an account, newest first, for people and for programs', async () => {
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
});

function backUp(args: readonly string[], url = `sqlite:${join(service.folder, 'petstore.sqlite')}`): Ran {
  const { io, ran } = programIo({ DATABASE_URL: url });
  return ran(runBackup(args, io));
}

const backups = () => readdirSync(service.folder).filter((name) => name.includes('backup'));

describe('the backup', () => {
  it('is complete, intact and private, while a service writes', async () => {
    const file = join(service.folder, 'backup.sqlite');
    const key = await service.key(AMPLE);
    let created = 0;
    const stop = new AbortController();
    const writing = Array.from({ length: 8 }, async () => {
      while (!stop.signal.aborted) {
        await service.post('/v1/pets', key, { name: 'Bella', categoryId: 1 });
        created += 1;
      }
    });
    await until(() => created > 100);
    const before = created;
    expect(backUp([file])).toEqual({ code: 0, stdout: `${file} is complete and intact.\n`, stderr: '' });
    stop.abort();
    await Promise.all(writing);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const copy = new Sqlite(file, { readonly: true });
    const pets = Number(copy.prepare('SELECT count(*) FROM pets').pluck().get());
    copy.close();
    expect(pets).toBeGreaterThanOrEqual(before);
    expect(pets).toBeLessThanOrEqual(created);
    expect(backups()).toEqual(['backup.sqlite']);
  });

  it('does not replace a file', () => {
    const file = join(service.folder, 'kept');
    writeFileSync(file, 'text');
    expect(backUp([file])).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining('EEXIST') });
    expect(statSync(file).size).toBe(4);
  });

  it.each([
    ['sqlite:/nowhere/petstore.sqlite', 'Cannot open database'],
    ['postgres://localhost/petstore', 'Use pg_dump for PostgreSQL.'],
    ['mysql://localhost/petstore', 'DATABASE_URL must be'],
  ])('leaves no file if it fails: %s', (url, reason) => {
    const failed = backUp([join(service.folder, 'failed-backup')], url);
    expect(failed).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(reason) });
    expect(backups().filter((name) => name.startsWith('failed'))).toEqual([]);
  });

  it.each([[[]], [['--help']], [['one', 'two']]])('is refused with the arguments %j', (args) => {
    expect(backUp(args)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Name the file of the backup, and nothing else.\n',
    });
  });
});
