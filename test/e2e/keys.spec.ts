import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Retention } from '../../src/accounts/retention.js';
import { LastUsedTracker } from '../../src/auth/authentication/last-used-tracker.js';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { trio } from '../support/app.js';
import { queryDatabase } from '../support/databases.js';
import { errorOf, refusalOf } from '../support/expectations.js';
import { created, KeysApi, NOON, WITHOUT_MANAGE } from '../support/keys-api.js';
import { idsFrom, idsIn, nextPage } from '../support/pages.js';

const NOT_FOUND = '404 api_key_not_found';

const api = new KeysApi();
const { codeOf, create, get, issue, list, revoke, rotate, trail } = api;

beforeAll(async () => {
  await api.start();
  // On a slow machine, its timer would write a last use before a test ends.
  await api.service.app.get(LastUsedTracker).stop();
});
afterAll(api.stop);
beforeEach(api.reset);

const read = (path: string) => api.service.request(path, { key: api.manager.key });
const usageOf = (id: string, key = api.manager.key) => api.service.json(`/v1/keys/${id}/usage`, { key });
const deleteRecords = () => queryDatabase(api.service.folder, 'DELETE FROM "audit_records"');

describe('listKeys and getKey', () => {
  it('return each key of the account without secrets, oldest first', async () => {
    api.clock.advanceSeconds(1);
    const other = await created(await create({ scopes: ['pets:read'], expiresInSeconds: 60 }));
    api.clock.advanceSeconds(1);
    await revoke(other.id);
    const text = await (await list()).text();
    const account = { account: api.account, plan: 'business' };
    expect(JSON.parse(text)).toEqual([
      { id: api.manager.id, masked: api.manager.masked, ...account, scopes: SCOPES, createdAt: NOON },
      {
        id: other.id,
        masked: other.masked,
        ...account,
        scopes: ['pets:read'],
        createdAt: '2026-11-21T12:00:01.000Z',
        expiresAt: '2026-11-21T12:01:01.000Z',
        revokedAt: '2026-11-21T12:00:02.000Z',
      },
    ]);
    expect(text).not.toMatch(/sha256|psk_live_\w{5}/);
  });

  it('list all keys page by page, also those created in the same millisecond', async () => {
    const made = [api.manager.id];
    for (let n = 0; n < 6; n += 1) {
      if (n === 3) api.clock.advanceMs(1);
      made.push((await issue({ scopes: ['pets:read'] })).id);
    }
    const seen = await idsFrom<string>('/v1/keys?limit=3', read);
    expect(seen.toSorted()).toEqual(made.toSorted());
    expect(seen).toEqual(await idsIn<string>(await list()));
  });

  it('go on after a key that was deleted meanwhile', async () => {
    api.clock.advanceMs(1);
    const deleted = await issue();
    api.clock.advanceMs(1);
    const last = await issue();
    await revoke(deleted.id);
    const page = await list('?limit=2');
    expect(await idsIn<string>(page)).toEqual([api.manager.id, deleted.id]);
    await queryDatabase(api.service.folder, 'UPDATE "api_keys" SET "revoked_at" = 0 WHERE "revoked_at" > 0');
    // On SQLite, nothing is deleted in the hour after the clock was set, as this test did.
    await api.service.app.get(Retention).run();
    api.clock.advanceMs(3_600_000);
    await api.service.app.get(Retention).run();
    expect((await get(deleted.id)).status).toBe(404);
    expect(await idsIn<string>(await read(nextPage(page) ?? ''))).toEqual([last.id]);
  });

  it('refuse a page that no link names', async () => {
    const message = expect.stringMatching(/^after must be as in the Link header/);
    for (const after of [api.manager.id, '1', 'WyIxIl0'])
      expect(await errorOf(await list(`?after=${after}`))).toMatchObject({ code: 'validation_failed', message });
    expect(await refusalOf(list('?limit=101'))).toBe('400 validation_failed');
  });
});

describe('keys over HTTP', () => {
  it('neither show nor change keys of another account', async () => {
    const other = await issue({ account: 'neighbour' });
    for (const id of [other.id, 'key_0000000000000000']) {
      const pause = { key: api.manager, method: 'PATCH', body: { paused: true } };
      expect((await api.service.json(`/v1/keys/${id}`, pause)).status).toBe(404);
      for (const response of [get(id), rotate(id), revoke(id)]) expect(await refusalOf(response)).toBe(NOT_FOUND);
      expect((await usageOf(id)).body).toMatchObject({ code: 'api_key_not_found' });
    }
    expect(await codeOf(other.key)).toBe('ok');
    expect(await trail(other.id)).toEqual(['key.created by unknown']);
    expect(await (await list()).json()).toHaveLength(1);
  });

  it.each(['1', 'key_', 'key_000000000000000%00', 'key_00000000000000%C3%A4', 'key_0123456789abcdef0', '%ED%A0%80'])(
    'return 404 for an invalid id: %s',
    async (id) => {
      for (const response of [get(id), rotate(id), revoke(id)]) expect(await refusalOf(response)).toBe(NOT_FOUND);
    },
  );

  it('have no scope by default that must be requested', async () => {
    expect(await issue()).toHaveProperty('scopes', WITHOUT_MANAGE);
  });

  it('use quota like other requests', async () => {
    const before = trio(await list());
    expect(trio(await create()).remaining).toBe(Number(before.remaining) - 1);
  });
});

describe('getKeyUsage', () => {
  it("returns the requests of each key in the account's windows", async () => {
    const [one, two] = [await issue(), await issue()];
    for (const key of [one.key, one.key, two.key]) expect(await codeOf(key)).toBe('ok');
    const minute = { resetsAt: '2026-11-21T12:01:00.000Z' };
    const day = { resetsAt: '2026-11-22T00:00:00.000Z' };
    const before = trio(await list());
    const { headers, body } = await usageOf(one.id);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-ratelimit-remaining')).toBe(String(Number(before.remaining) - 1));
    expect(body).toEqual({ minute: { requests: 2, ...minute }, day: { requests: 2, ...day }, strikes: 0 });
    expect((await usageOf(two.id)).body).toMatchObject({ minute: { requests: 1 }, day: { requests: 1 } });
    api.clock.advanceSeconds(60);
    expect((await usageOf(one.id)).body).toMatchObject({ minute: { requests: 0 }, day: { requests: 2 } });
  });

  it('tells the ban of a key', async () => {
    const limits = { account: 'striking', plan: 'enterprise', perMinute: 3, perDay: 90 } as const;
    const [manager, striking] = [await issue({ ...limits, scopes: SCOPES }), await issue(limits)];
    for (let n = 0; n < 3; n += 1) await codeOf(striking.key);
    api.clock.advanceSeconds(10);
    for (let n = 0; n < 3; n += 1) await codeOf(striking.key);
    api.clock.advanceSeconds(50);
    const bannedUntil = '2026-11-21T12:01:10.000Z';
    expect((await usageOf(striking.id, manager.key)).body).toMatchObject({ strikes: 0, bannedUntil });
    expect((await usageOf(manager.id, manager.key)).body).not.toHaveProperty('bannedUntil');
  });
});

it('without its audit records, a key is rotated once over HTTP, with its full lifetime', async () => {
  const old = await issue({ expiresInMs: 90 * 86_400_000 });
  await deleteRecords();
  api.clock.advanceSeconds(86_400);
  const successor = await created(await rotate(old.id));
  expect(successor.expiresAt).toBe('2027-02-20T12:00:00.000Z');
  await deleteRecords();
  const message = expect.stringContaining(`Rotate ${successor.id}`);
  expect(await errorOf(await rotate(old.id))).toEqual({ status: 409, code: 'api_key_retired', message });
});
