import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { JSON_TYPE } from '../support/http.js';
import { codeOf as codeAt, created, keyIn, KeysApi, NOON } from '../support/keys-api.js';
import { withinASecond } from '../support/until.js';

const api = new KeysApi();
const { codeOf, create, get, issue, list, revoke, rotate, trail } = api;

beforeAll(api.start);
afterAll(api.stop);
beforeEach(api.reset);

const change = (id: string, body: unknown, key = api.manager.key, headers: Record<string, string> = JSON_TYPE) =>
  api.service.request(`/v1/keys/${id}`, { key, method: 'PATCH', headers, body: JSON.stringify(body) });

const RETIRED = { status: 409, code: 'api_key_retired' };

describe('changeKey', () => {
  it('changes name, scopes and pause at once, and returns the key as getKey does', async () => {
    const { id } = await created(await create({ scopes: ['pets:read', 'pets:write'] }));
    const changed = await keyIn(await change(id, { name: 'Import', scopes: ['pets:read'], paused: true }));
    expect(changed).toMatchObject({ id, name: 'Import', scopes: ['pets:read'], pausedAt: NOON });
    expect(await keyIn(await get(id))).toEqual(changed);
    expect(await (await list()).json()).toContainEqual(changed);
    expect(await trail(id)).toEqual(
      ['created', 'renamed', 'scopes_changed', 'paused'].map((action) => `key.${action} by ${api.manager.id}`),
    );
  });

  it('keeps omitted fields, and removes a name that is null', async () => {
    const { id, ...before } = await issue({ name: 'Old', scopes: ['pets:read'] });
    const mergePatch = { 'Content-Type': 'application/merge-patch+json' };
    expect(await keyIn(await change(id, { name: 'New' }, undefined, mergePatch))).toMatchObject({
      name: 'New',
      scopes: before.scopes,
    });
    expect(await keyIn(await change(id, { name: null }))).not.toHaveProperty('name');
    expect(await trail(id)).toHaveLength(3);
  });

  it('changes nothing where a key is so already', async () => {
    const { id } = await issue({ name: 'Same', scopes: ['pets:read', 'pets:write'] });
    await change(id, { name: 'Same', scopes: ['pets:write', 'pets:read'], paused: false });
    expect(await trail(id)).toEqual(['key.created by unknown']);
  });

  it.each([
    [{}, /at least one of name, scopes and paused/],
    [{ name: '' }, /^name must have 1 to 100 characters.*, or be null\.$/],
    [{ name: 'x'.repeat(101) }, /^name must have/],
    [{ name: 'a\u202eb' }, /^name must have/],
    [{ scopes: [] }, /^scopes must have/],
    [{ scopes: null }, /^scopes must be/],
    [{ scopes: ['pets:read', 'pets:write'] }, /^scopes must be among those of the key: pets:read\. /],
    [{ scopes: ['toys:read'] }, /^scopes must be among those of the key/],
    [{ paused: null }, /^paused must be true or false/],
    [{ paused: 'true' }, /^paused must be true or false/],
    [{ plan: 'pro' }, /plan/],
  ])('refuses %j', async (body, message) => {
    const { id } = await issue({ scopes: ['pets:read'] });
    const refusal = { status: 400, code: 'validation_failed', message: expect.stringMatching(message) };
    expect(await errorOf(await change(id, body))).toMatchObject(refusal);
    expect(await trail(id)).toEqual(['key.created by unknown']);
  });

  it.each([{ name: 'Late' }, { scopes: ['pets:read'] }, { paused: true }])(
    'refuses %j for a key that has expired, which can still be revoked',
    async (patch) => {
      const { id } = await issue({ expiresInMs: 60_000 });
      api.clock.advanceSeconds(59);
      expect((await change(id, { name: 'In time' })).status).toBe(200);
      api.clock.advanceSeconds(1);
      expect(await errorOf(await change(id, patch))).toMatchObject(RETIRED);
      await expect(api.operator.change(id, patch)).rejects.toThrow('expired at');
      expect((await revoke(id)).status).toBe(204);
      expect(await errorOf(await change(id, patch))).toMatchObject(RETIRED);
    },
  );

  it('refuses a revoked key, an unknown one, and one of another account', async () => {
    const [revoked, other] = [await issue(), await issue({ account: 'changed neighbour' })];
    await revoke(revoked.id);
    expect(await errorOf(await change(revoked.id, { paused: true }))).toMatchObject(RETIRED);
    for (const id of ['key_0000000000000000', 'key_', other.id])
      expect(await errorOf(await change(id, { paused: true }))).toMatchObject({
        status: 404,
        code: 'api_key_not_found',
      });
    expect(await codeOf(other.key)).toBe('ok');
  });

  it('needs keys:manage', async () => {
    const { id, key } = await issue();
    expect(await errorOf(await change(id, { paused: true }, key))).toMatchObject({ status: 403 });
  });
});

describe('a paused key', () => {
  it('is refused from the next request on, and accepted again once it is resumed', async () => {
    const { id, key } = await issue();
    expect(await codeOf(key)).toBe('ok');
    await change(id, { paused: true });
    const response = await api.service.request('/v1/pets', { key });
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="petstore", error="invalid_token"');
    expect(await errorOf(response)).toMatchObject({ status: 401, code: 'api_key_paused' });
    api.clock.advanceSeconds(5);
    expect(await keyIn(await change(id, { paused: true }))).toHaveProperty('pausedAt', NOON);
    expect(await keyIn(await change(id, { paused: false }))).not.toHaveProperty('pausedAt');
    expect(await codeOf(key)).toBe('ok');
  });

  it('is refused and accepted within a second by another instance', async () => {
    const second = await startApp({ clock: api.clock, folder: api.service.folder });
    try {
      const { id, key } = await issue();
      expect(await codeAt(second, key)).toBe('ok');
      for (const [paused, expected] of [
        [true, 'api_key_paused'],
        [false, 'ok'],
      ] as const) {
        await change(id, { paused });
        const { result } = await withinASecond(
          () => codeAt(second, key),
          (code) => code === expected,
        );
        expect(result).toBe(expected);
      }
    } finally {
      await second.stop({ keepData: true });
    }
  });

  it('can pause itself, but only another key can resume it', async () => {
    const other = await issue({ scopes: ['keys:manage'] });
    expect((await change(api.manager.id, { paused: true })).status).toBe(200);
    expect(await errorOf(await change(api.manager.id, { paused: false }))).toMatchObject({ code: 'api_key_paused' });
    expect((await change(api.manager.id, { paused: false }, other.key)).status).toBe(200);
    expect(await codeOf(api.manager.key)).toBe('ok');
  });

  it('expires and can be revoked as before, but not be rotated', async () => {
    const { id, key } = await issue({ expiresInMs: 60_000 });
    await change(id, { paused: true });
    expect(await errorOf(await rotate(id))).toMatchObject({
      ...RETIRED,
      message: expect.stringContaining('is paused. Resume it first'),
    });
    api.clock.advanceSeconds(60);
    expect(await codeOf(key)).toBe('api_key_expired');
    expect((await revoke(id)).status).toBe(204);
    expect(await codeOf(key)).toBe('api_key_revoked');
  });

  it('counts as an active key', async () => {
    for (let n = 1; n < 100; n += 1) await api.operator.change((await issue()).id, { paused: true });
    expect(await errorOf(await create())).toMatchObject({ status: 409, code: 'api_key_limit_reached' });
  });
});
