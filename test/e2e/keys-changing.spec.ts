import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { KeysController } from '../../src/accounts/keys/keys.controller.js';
import { KeyVerifier } from '../../src/auth/authentication/key-verifier.js';
import { isCaller } from '../../src/auth/bearer.guard.js';
import type { Caller } from '../../src/auth/caller.js';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { errorOf, refusalOf } from '../support/expectations.js';
import { JSON_TYPE } from '../support/http.js';
import { created, keyIn, KeysApi, NOON } from '../support/keys-api.js';

const api = new KeysApi();
const { codeOf, create, get, issue, list, revoke, rotate, trail } = api;

beforeAll(api.start);
afterAll(api.stop);
beforeEach(api.reset);

const change = (id: string, body: unknown, key = api.manager.key, headers: Record<string, string> = JSON_TYPE) =>
  api.service.request(`/v1/keys/${id}`, { key, method: 'PATCH', headers, body: JSON.stringify(body) });

const RETIRED = '409 api_key_retired';
const INVALID = '400 validation_failed';

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
    const { id, scopes } = await issue({ name: 'Old', scopes: ['pets:read'] });
    const mergePatch = { 'Content-Type': 'application/merge-patch+json' };
    const changed = await keyIn(await change(id, { name: 'New' }, undefined, mergePatch));
    expect(changed).toMatchObject({ name: 'New', scopes });
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
    [{ name: 'a\u202eb' }, /^name must not have .*bidirectional controls, or be null\.$/],
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
    expect(await errorOf(await change(id, body))).toEqual(refusal);
    expect(await trail(id)).toEqual(['key.created by unknown']);
  });

  it.each([{ name: 'Late' }, { scopes: ['pets:read'] }, { paused: true }])(
    'refuses %j for a key that has expired, which can still be revoked',
    async (patch) => {
      const { id } = await issue({ expiresInMs: 60_000 });
      api.clock.advanceSeconds(59);
      expect((await change(id, { name: 'In time' })).status).toBe(200);
      api.clock.advanceSeconds(1);
      expect(await refusalOf(change(id, patch))).toBe(RETIRED);
      await expect(api.operator.change(id, patch)).rejects.toThrow('expired at');
      expect((await revoke(id)).status).toBe(204);
      expect(await refusalOf(change(id, patch))).toBe(RETIRED);
    },
  );
});

describe('a paused key', () => {
  it('is refused from the next request on, and accepted again once it is resumed', async () => {
    const { id, key } = await issue();
    expect(await codeOf(key)).toBe('ok');
    await change(id, { paused: true });
    const response = await api.service.request('/v1/pets', { key });
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="petstore", error="invalid_token"');
    expect(await refusalOf(response)).toBe('401 api_key_paused');
    api.clock.advanceSeconds(5);
    expect(await keyIn(await change(id, { paused: true }))).toHaveProperty('pausedAt', NOON);
    expect(await keyIn(await change(id, { paused: false }))).not.toHaveProperty('pausedAt');
    expect(await codeOf(key)).toBe('ok');
  });

  it('can pause itself, but only another key can resume it', async () => {
    const other = await issue({ scopes: ['keys:manage'] });
    expect((await change(api.manager.id, { paused: true })).status).toBe(200);
    expect(await refusalOf(change(api.manager.id, { paused: false }))).toBe('401 api_key_paused');
    expect((await change(api.manager.id, { paused: false }, other.key)).status).toBe(200);
    expect(await codeOf(api.manager.key)).toBe('ok');
  });

  it('expires and can be revoked as before, but not be rotated', async () => {
    const { id, key } = await issue({ expiresInMs: 60_000 });
    await change(id, { paused: true });
    const message = expect.stringContaining('is paused. Resume it first');
    expect(await errorOf(await rotate(id))).toEqual({ status: 409, code: 'api_key_retired', message });
    api.clock.advanceSeconds(60);
    expect(await codeOf(key)).toBe('api_key_expired');
    expect((await revoke(id)).status).toBe(204);
    expect(await codeOf(key)).toBe('api_key_revoked');
  });
});

describe('rotateKey', () => {
  it('creates a successor, shown once; the old key stays valid for a day by default', async () => {
    const old = await created(await create({ name: 'Reader', scopes: ['pets:read'], expiresInSeconds: 864_000 }));
    const response = await rotate(old.id);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const location = response.headers.get('location');
    const { key, ...rest } = await created(response);
    expect(rest).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'Reader',
      masked: expect.stringMatching(/^psk_live_/),
      account: api.account,
      plan: 'business',
      scopes: ['pets:read'],
      createdAt: NOON,
      expiresAt: '2026-12-01T12:00:00.000Z',
      replaces: old.id,
      replacedExpiresAt: '2026-11-22T12:00:00.000Z',
    });
    expect(location).toBe(`/v1/keys/${rest.id}`);
    expect([await codeOf(old.key), await codeOf(key)]).toEqual(['ok', 'ok']);
    api.clock.advanceSeconds(86_400);
    expect([await codeOf(old.key), await codeOf(key)]).toEqual(['api_key_expired', 'ok']);
    expect(await trail(old.id)).toEqual([`key.created by ${api.manager.id}`, `key.rotated by ${api.manager.id}`]);
  });

  it('ends the old key at once without an overlap, even the calling key', async () => {
    const { key } = await created(await rotate(api.manager.id, { overlapSeconds: 0 }));
    expect(await codeOf(api.manager.key)).toBe('api_key_expired');
    expect((await list('', key)).status).toBe(200);
  });

  it('passes on no scope that the caller lacks', async () => {
    const narrow = await issue({ scopes: ['keys:manage', 'pets:read'] });
    const wide = await issue({ scopes: ['pets:read', 'pets:write', 'reports:run'] });
    const response = await rotate(wide.id, {}, narrow.key);
    expect(response.headers.get('www-authenticate')).toContain('scope="pets:write reports:run"');
    expect(await refusalOf(response)).toBe('403 insufficient_scope');
    expect(await keyIn(await get(wide.id))).not.toHaveProperty('expiresAt');
    const like = await issue({ scopes: ['pets:read'] });
    expect(await created(await rotate(like.id, {}, narrow.key))).toHaveProperty('scopes', ['pets:read']);
  });

  it.each([
    { overlapSeconds: -1 },
    { overlapSeconds: 3_155_760_001 },
    { overlapSeconds: '24h' },
    { overlapSeconds: null },
    { scopes: ['pets:read'] },
  ])('refuses %j', async (body) => {
    expect(await refusalOf(rotate(api.manager.id, body))).toBe(INVALID);
  });
});

it('a retired key is neither changed nor rotated', async () => {
  const [revoked, expired] = [await issue(), await issue({ expiresInMs: 1_000 })];
  await revoke(revoked.id);
  api.clock.advanceSeconds(1);
  for (const [reason, { id }] of Object.entries({ revoked, expired })) {
    const refusal = { status: 409, code: 'api_key_retired', message: expect.stringContaining(reason) };
    expect(await errorOf(await rotate(id))).toEqual(refusal);
    expect(await errorOf(await change(id, { paused: true }))).toEqual(refusal);
  }
});

const keys = () => api.service.app.get(KeysController);
/** Requests that are refused set no header. */
const NO_REPLY = {} as FastifyReply;

async function managingCaller(): Promise<Caller> {
  const caller = await api.service.app.get(KeyVerifier).verify(api.manager.key);
  if (caller === undefined || !isCaller(caller)) throw new Error('The key of the manager is not valid.');
  return caller;
}

describe('revokeKey', () => {
  it('revokes a key from the next request on, and changes nothing the second time', async () => {
    const { id, key } = await created(await create());
    expect(await codeOf(key)).toBe('ok');
    const response = await revoke(id);
    expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([204, '', null]);
    expect(await codeOf(key)).toBe('api_key_revoked');
    api.clock.advanceSeconds(5);
    expect((await revoke(id)).status).toBe(204);
    expect(await keyIn(await get(id))).toHaveProperty('revokedAt', NOON);
    expect(await trail(id)).toEqual([`key.created by ${api.manager.id}`, `key.revoked by ${api.manager.id}`]);
  });

  it('lets a key revoke itself, which is then refused', async () => {
    expect((await revoke(api.manager.id)).status).toBe(204);
    expect(await refusalOf(create())).toBe('401 api_key_revoked');
  });
});

describe('a request that was admitted before its key', () => {
  it('was revoked changes no keys', async () => {
    const caller = await managingCaller();
    const sibling = await issue({ scopes: SCOPES });
    await revoke(api.manager.id);
    const headers = { 'www-authenticate': 'Bearer realm="petstore", error="invalid_token"' };
    for (const late of [
      () => keys().createKey({}, caller, NO_REPLY),
      () => keys().rotateKey(sibling.id, { overlapSeconds: 0 }, caller, NO_REPLY),
      () => keys().revokeKey(sibling.id, caller),
    ])
      await expect(late()).rejects.toMatchObject({ problem: { code: 'api_key_revoked', headers } });
    expect(await (await list('', sibling.key)).json()).toHaveLength(2);
  });

  it('lost keys:manage changes no keys', async () => {
    const caller = await managingCaller();
    await api.operator.change(api.manager.id, { scopes: ['pets:read'] });
    const refusal = { code: 'insufficient_scope', message: expect.stringContaining('keys:manage') };
    await expect(keys().revokeKey(api.manager.id, caller)).rejects.toMatchObject(refusal);
    await expect(keys().createKey({}, caller, NO_REPLY)).rejects.toMatchObject(refusal);
    expect(await codeOf(api.manager.key)).toBe('ok');
  });
});
