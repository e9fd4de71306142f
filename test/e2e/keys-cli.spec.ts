import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { KeysService, type NewKey } from '../../src/auth/index.js';
import { startApp, type TestApp, trio } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { databaseUrl } from '../support/folders.js';
import { type Ended, runKeys } from '../support/service-process.js';

interface Issued {
  readonly id: string;
  readonly key: string;
  readonly account: string;
  readonly plan: string;
}

let service: TestApp;

beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.stop());

const keys = (...args: string[]): Promise<Ended> => runKeys(args, { folder: service.folder, env: { DATABASE_URL: databaseUrl(service.folder) } });

/** What a command prints for programs: one line. */
async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await keys(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^[^\n]+\n$/);
  return JSON.parse(stdout) as T;
}

const create = (account: string, ...rest: string[]) => json<Issued>('create', '--account', account, ...rest);

/** A key for a command to work on. */
const given = (account: string, terms: Omit<NewKey, 'account'> = { plan: 'free' }) => service.app.get(KeysService).createKey({ account, ...terms }, 'test');

const list = (key: string) => service.request('/v1/pets', { key });

/** Calls until the code of the answer is as expected, for a second at most. */
async function codeWithinASecond(key: string, expected: string): Promise<string> {
  const deadlineMs = performance.now() + 1_000;
  for (;;) {
    const { code } = await errorOf(await list(key)).catch(() => ({ code: 'none' }));
    if (code === expected || performance.now() > deadlineMs) return code;
    await delay(20);
  }
}

describe('keys create', () => {
  it('prints one line with a key that works at once', async () => {
    const issued = await create('first', '--plan', 'pro');
    expect(issued).toMatchObject({ id: expect.stringMatching(/^key_/), key: expect.stringMatching(/^psk_live_[0-9A-Za-z]{36}$/), account: 'first', plan: 'pro' });
    const answer = await list(issued.key);
    expect([answer.status, trio(answer).limit]).toEqual([200, 300]);
  });

  it('makes keys narrow, short-lived and on terms of their own', async () => {
    const terms = ['--plan', 'enterprise', '--per-minute', '5', '--per-day', '7'];
    const { key } = await create('narrow', ...terms, '--scopes', 'pets:read', '--expires-in', '3s', '--test');
    const madeMs = performance.now();
    expect(key).toMatch(/^psk_test_/);
    expect(trio(await list(key))).toMatchObject({ limit: 5, remaining: 4 });
    expect(await errorOf(await service.post('/v1/pets', key, '{}'))).toMatchObject({ code: 'insufficient_scope' });
    await delay(3_000 - (performance.now() - madeMs));
    expect(await errorOf(await list(key))).toMatchObject({ status: 401, code: 'api_key_expired' });
  });
});

describe('beside a running service', () => {
  it('a key that is revoked is refused within a second', async () => {
    const { id, key } = await given('revoked');
    expect((await list(key)).status).toBe(200);
    expect(await keys('revoke', id)).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
    expect(await codeWithinASecond(key, 'api_key_revoked')).toBe('api_key_revoked');
  });

  it('a key that is rotated works on for the overlap, and not without one', async () => {
    const old = await given('rotated');
    expect(trio(await list(old.key)).remaining).toBe(59);
    const next = await json<Issued>('rotate', old.id, '--overlap', '24h');
    expect(next.key).not.toBe(old.key);
    expect(trio(await list(old.key)).remaining).toBe(58);
    expect(trio(await list(next.key)).remaining).toBe(57);
    await json<Issued>('rotate', next.id, '--overlap', '0s');
    expect(await codeWithinASecond(next.key, 'api_key_expired')).toBe('api_key_expired');
    expect((await list(old.key)).status).toBe(200);
  });

  it('a change of plan holds within a second, and keeps what was consumed', async () => {
    const { key } = await given('growing');
    await list(key);
    expect(await keys('plan', 'growing', 'business')).toMatchObject({ code: 0, stderr: '' });
    await delay(700);
    expect(trio(await list(key))).toMatchObject({ limit: 1_000, remaining: 998 });
  });

  it('a ban that is lifted holds no more within a second', async () => {
    const { id, key } = await given('banned', { plan: 'enterprise', perMinute: 2, perDay: 100 });
    for (let n = 0; n < 4; n += 1) await list(key);
    expect((await errorOf(await list(key))).code).toBe('api_key_banned');
    expect(await keys('unban', id)).toMatchObject({ code: 0 });
    expect(await codeWithinASecond(key, 'rate_limit_exceeded')).toBe('rate_limit_exceeded');
  });
});

describe('keys list', () => {
  it('shows of a key what tells it from others, never the whole', async () => {
    const issued = await given('listed');
    const { code, stdout } = await keys('list');
    expect(code).toBe(0);
    expect(stdout).toContain(issued.id);
    expect(stdout).toContain(issued.key.slice(-4));
    expect(stdout).not.toMatch(/psk_(live|test)_\w{5}/);
    const listed = await json<Record<string, unknown>[]>('list');
    expect(listed.find(({ id }) => id === issued.id)).toMatchObject({ account: 'listed', plan: 'free', revokedAt: null, lastUsedAt: null });
    expect(JSON.stringify(listed)).not.toMatch(/psk_(live|test)_\w{5}/);
  });
});

describe('the audit trail', () => {
  it('has a record of every operation, and no key', async () => {
    const { id } = await create('audited', '--plan', 'free');
    await keys('plan', 'audited', 'pro');
    await keys('revoke', id);
    const database = new Sqlite(join(service.folder, 'petstore.sqlite'), { readonly: true });
    const account = database.prepare('SELECT id FROM accounts WHERE name = ?').get('audited') as { id: number };
    const records = database.prepare('SELECT * FROM audit_records WHERE account_id = ? ORDER BY id').all(account.id) as { action: string; actor: string }[];
    database.close();
    expect(records.map(({ action }) => action)).toEqual(['account.created', 'key.created', 'account.plan_changed', 'key.revoked']);
    expect(records.every(({ actor }) => actor.startsWith('cli:'))).toBe(true);
    expect(JSON.stringify(records)).not.toMatch(/psk_(live|test)_\w{5}/);
  });
});

describe('a command line that makes no sense', () => {
  it('ends with a clear line, a code other than 0, and nothing done', async () => {
    const secret = `psk_live_${'x'.repeat(36)}`;
    const cases: [string[], string][] = [
      [[], 'Say what to do'],
      [['nonsense'], 'nonsense'],
      [['create', '--plan', 'free'], '--account'],
      [['create', '--account', 'x', '--plan', 'gold'], 'gold'],
      [['create', '--account', 'x', '--plan', 'enterprise', '--per-minute', '9', '--per-day', '8'], 'per day'],
      [['create', '--account', 'x', '--plan', 'free', '--expires-in', 'soon'], 'expires-in'],
      [['revoke', secret], 'no API key'],
      [['plan', 'nobody', 'free'], 'nobody'],
    ];
    const ended = await Promise.all(cases.map(([args]) => keys(...args)));
    for (const [index, [, clue]] of cases.entries()) {
      const { code, stdout, stderr } = ended[index] as Ended;
      expect([clue, code === 0, stdout, stderr.split('\n')[0]]).toEqual([clue, false, '', expect.stringContaining(clue)]);
      expect(stderr).not.toMatch(/\n\s+at |psk_live_x/);
    }
    expect((await keys('list')).stdout).not.toMatch(/ x /);
  });
});
