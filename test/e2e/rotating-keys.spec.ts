// @postgres: rotations of one key at once wait for a lock.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { errorOf } from '../support/expectations.js';
import { KeysApi, created, keyIn, NOON } from '../support/keys-api.js';

const api = new KeysApi();
const { codeOf, create, get, issue, list, revoke, rotate, trail } = api;

beforeAll(api.start);
afterAll(api.stop);
beforeEach(api.reset);

const retired = (message: string) => ({
  status: 409,
  code: 'api_key_retired',
  message: expect.stringContaining(message),
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

  it('creates one successor, even concurrently', async () => {
    const { id } = await created(await create());
    const responses = await Promise.all(Array.from({ length: 20 }, () => rotate(id)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = responses.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(19);
    const [winner] = await Promise.all(responses.filter(({ status }) => status === 201).map(created));
    for (const response of refused) expect(await errorOf(response)).toMatchObject(retired(winner?.id ?? 'no winner'));
    expect(await (await list()).json()).toHaveLength(3);
  });

  it('refuses a revoked or expired key', async () => {
    const revoked = await created(await create());
    await revoke(revoked.id);
    expect(await errorOf(await rotate(revoked.id))).toMatchObject(retired('revoked'));
    const expired = await created(await create({ expiresInSeconds: 1 }));
    api.clock.advanceSeconds(1);
    expect(await errorOf(await rotate(expired.id))).toMatchObject(retired('expired'));
  });

  it('passes on no scope that the caller lacks', async () => {
    const narrow = await issue({ scopes: ['keys:manage', 'pets:read'] });
    const wide = await issue({ scopes: ['pets:read', 'pets:write', 'reports:run'] });
    const response = await rotate(wide.id, {}, narrow.key);
    expect(response.headers.get('www-authenticate')).toContain('scope="pets:write reports:run"');
    expect(await errorOf(response)).toMatchObject({ status: 403, code: 'insufficient_scope' });
    expect(await keyIn(await get(wide.id))).not.toHaveProperty('expiresAt');
    const like = await issue({ scopes: ['pets:read'] });
    expect(await created(await rotate(like.id, {}, narrow.key))).toHaveProperty('scopes', ['pets:read']);
  });

  it.each([
    '{"overlapSeconds":-1}',
    '{"overlapSeconds":3155760001}',
    '{"overlapSeconds":"24h"}',
    '{"overlapSeconds":null}',
    '{"scopes":["pets:read"]}',
  ])('refuses %s', async (body) => {
    expect(
      await errorOf(await api.service.post(`/v1/keys/${api.manager.id}/rotate`, api.manager.key, body)),
    ).toMatchObject({
      status: 400,
      code: 'validation_failed',
    });
  });
});
