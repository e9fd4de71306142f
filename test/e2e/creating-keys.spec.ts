// @postgres: creates of keys at once wait for a lock.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { errorOf } from '../support/expectations.js';
import { KeysApi, created, keyIn, NOON, WITHOUT_MANAGE, type Key } from '../support/keys-api.js';

const api = new KeysApi();
const { codeOf, create, get, issue, list, revoke, rotate, trail } = api;

beforeAll(api.start);
afterAll(api.stop);
beforeEach(api.reset);

describe('createKey', () => {
  it('creates a working key of the account, shown once, with all scopes except keys:manage', async () => {
    const response = await create();
    expect(response.headers.get('cache-control')).toBe('no-store');
    const location = response.headers.get('location');
    const { key, ...rest } = await created(response);
    expect(rest).toEqual({
      id: expect.stringMatching(/^key_/),
      masked: `${key.slice(0, 13)}…${key.slice(-4)}`,
      account: api.account,
      plan: 'business',
      scopes: WITHOUT_MANAGE,
      createdAt: NOON,
    });
    expect(key).toMatch(/^psk_live_[0-9A-Za-z]{36}$/);
    expect(location).toBe(`/v1/keys/${rest.id}`);
    expect(await codeOf(key)).toBe('ok');
    expect(await keyIn(await get(rest.id))).toEqual(rest);
    expect(await trail(rest.id)).toEqual([`key.created by ${api.manager.id}`]);
    expect(await (await api.service.request('/v1/usage', { key })).json()).toMatchObject({
      account: api.account,
      plan: 'business',
    });
  });

  it('creates a key with the requested scopes and expiry', async () => {
    const { key, ...rest } = await created(
      await create({ name: 'Nightly import', scopes: ['pets:read'], expiresInSeconds: 60 }),
    );
    expect(rest).toMatchObject({
      name: 'Nightly import',
      scopes: ['pets:read'],
      expiresAt: '2026-11-21T12:01:00.000Z',
      masked: expect.stringMatching(/^psk_live_/),
    });
    expect(await errorOf(await api.service.post('/v1/pets', key, '{"name":"x","categoryId":1}'))).toMatchObject({
      code: 'insufficient_scope',
    });
    api.clock.advanceSeconds(60);
    expect(await codeOf(key)).toBe('api_key_expired');
  });

  it('gives keys:manage to a key if it is requested', async () => {
    const second = await created(await create({ scopes: ['keys:manage', 'pets:read'] }));
    const third = await created(await create({}, second.key));
    expect(third.scopes).toEqual(['pets:read']);
  });

  it('refuses scopes that the caller lacks, and names each', async () => {
    const { key } = await issue({ scopes: ['keys:manage', 'pets:read'] });
    const response = await create({ scopes: ['pets:read', 'pets:write', 'orders:read'] }, key);
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="petstore", error="insufficient_scope", scope="pets:write orders:read"',
    );
    expect(await errorOf(response)).toMatchObject({
      status: 403,
      code: 'insufficient_scope',
      message: expect.stringContaining('pets:write, orders:read'),
    });
    expect(((await (await list()).json()) as Key[]).length).toBe(2);
  });

  it("gives the caller's scopes of extensions by default", async () => {
    const { key } = await issue({ scopes: ['keys:manage', 'visits:write'] });
    expect(await created(await create({}, key))).toHaveProperty('scopes', ['visits:write']);
  });

  it('refuses a caller without a scope to give', async () => {
    const { key } = await issue({ scopes: ['keys:manage'] });
    expect(await errorOf(await create({}, key))).toMatchObject({
      status: 400,
      code: 'validation_failed',
      message: expect.stringContaining('at least one scope'),
    });
  });

  it.each([
    ['[]', 'validation_failed'],
    ['{"scopes":[]}', 'scopes must have 1 to 100 items'],
    ['{"scopes":["pets:read","pets:read"]}', 'scopes must have'],
    ['{"scopes":["pets:reed"]}', 'scopes must have'],
    ['{"scopes":[["pets:read"]]}', 'scopes must have'],
    ['{"scopes":"pets:read"}', 'scopes must be'],
    ['{"scopes":{"length":1,"0":"pets:read"}}', 'scopes must be'],
    ['{"scopes":null}', 'scopes must be'],
    ['{"expiresInSeconds":0}', 'expiresInSeconds must be an integer from 1 to 3155760000'],
    ['{"expiresInSeconds":3155760001}', 'expiresInSeconds must be'],
    ['{"expiresInSeconds":1.5}', 'expiresInSeconds must be'],
    ['{"expiresInSeconds":9223372036854775807}', 'expiresInSeconds must be'],
    ['{"expiresInSeconds":"60"}', 'expiresInSeconds must be'],
    ['{"name":""}', 'name must have 1 to 100 characters'],
    [`{"name":"${'x'.repeat(101)}"}`, 'name must have 1 to 100 characters'],
    ['{"name":null}', 'name must be'],
    ['{"name":"\\u3164"}', 'name must have 1 to 100 characters'],
    ['{"name":"a\\u202eb"}', 'bidirectional controls'],
    ['{"name":"a\\u2066b"}', 'bidirectional controls'],
    ['{"name":"a\\u2028b"}', 'line separators'],
    ['{"name":"a\\u2029b"}', 'line separators'],
    ['{"name":"a\\u0085b"}', 'control characters'],
    ['{"test":true}', '"test" is not a known field'],
    ['{"account":"other"}', '"account" is not a known field'],
    ['{"plan":"enterprise"}', '"plan" is not a known field'],
  ])('refuses %s', async (body, message) => {
    const refusal = await errorOf(await api.service.post('/v1/keys', api.manager.key, body));
    expect(refusal).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(`${refusal.code} ${refusal.message}`).toContain(message);
    expect(await (await list()).json()).toHaveLength(1);
  });

  it('creates at most 100 active keys of an account, even concurrently', async () => {
    const dead = await created(await create({ expiresInSeconds: 1 }));
    api.clock.advanceSeconds(1);
    const responses = await Promise.all(Array.from({ length: 120 }, () => create({ scopes: ['pets:read'] })));
    const statuses = responses.map(({ status }) => status);
    expect([
      statuses.filter((status) => status === 201).length,
      statuses.filter((status) => status === 409).length,
    ]).toEqual([99, 21]);
    const refused = await create();
    expect(await errorOf(refused)).toMatchObject({
      status: 409,
      code: 'api_key_limit_reached',
      message: expect.stringContaining('100'),
    });
    const { id } = await created(responses.find(({ status }) => status === 201) ?? refused);
    expect(await errorOf(await rotate(id, { overlapSeconds: 1 }))).toMatchObject({ code: 'api_key_limit_reached' });
    await created(await rotate(id, { overlapSeconds: 0 }));
    expect(await errorOf(await create())).toMatchObject({ code: 'api_key_limit_reached' });
    await revoke(api.manager.id);
    expect(await codeOf(dead.key)).toBe('api_key_expired');
  });
});

describe('the limit of active keys', () => {
  it('counts keys from the command line, but does not limit the command line', async () => {
    await Promise.all(Array.from({ length: 99 }, () => issue({ scopes: ['pets:read'] })));
    expect(await errorOf(await create())).toMatchObject({ status: 409, code: 'api_key_limit_reached' });
    expect(await codeOf((await issue()).key)).toBe('ok');
  });
});
