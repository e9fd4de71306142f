import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { IssuedKey } from '../../src/accounts/keys/key-responses.dto.js';
import type { NewKey } from '../../src/accounts/keys/key-options.js';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { startApp } from '../support/app.js';
import { errorOf, refusalOf } from '../support/expectations.js';
import { created, keyIn, KeysApi, NOON, WITHOUT_MANAGE } from '../support/keys-api.js';

const api = new KeysApi();
const { codeOf, create, get, issue, list, revoke, rotate, trail } = api;

beforeAll(api.start);
afterAll(api.stop);
beforeEach(api.reset);

const LIMIT_REACHED = '409 api_key_limit_reached';

describe('createKey', () => {
  it('creates a working key of the account, shown once, with all scopes that need not be requested', async () => {
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
    const { body } = await api.service.json('/v1/usage', { key });
    expect(body).toMatchObject({ account: api.account, plan: 'business' });
  });

  it('creates a key with the requested name, scopes and expiry', async () => {
    const wanted = { name: 'Nightly import', scopes: ['pets:read'] };
    const { key, ...rest } = await created(await create({ ...wanted, expiresInSeconds: 60 }));
    expect(rest).toMatchObject({ ...wanted, expiresAt: '2026-11-21T12:01:00.000Z' });
    const refused = api.service.post('/v1/pets', key, '{"name":"x","categoryId":1}');
    expect(await refusalOf(refused)).toBe('403 insufficient_scope');
    api.clock.advanceSeconds(60);
    expect(await codeOf(key)).toBe('api_key_expired');
  });

  it('gives keys:manage to a key if it is requested', async () => {
    const second = await created(await create({ scopes: ['keys:manage', 'pets:read'] }));
    expect(await created(await create({}, second.key))).toHaveProperty('scopes', ['pets:read']);
  });

  it('refuses scopes that the caller lacks, and names each', async () => {
    const { key } = await issue({ scopes: ['keys:manage', 'pets:read'] });
    const response = await create({ scopes: ['pets:read', 'pets:write', 'orders:read'] }, key);
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="petstore", error="insufficient_scope", scope="pets:write orders:read"',
    );
    const message = expect.stringContaining('pets:write, orders:read');
    expect(await errorOf(response)).toEqual({ status: 403, code: 'insufficient_scope', message });
    expect(await (await list()).json()).toHaveLength(2);
  });

  it("gives the caller's scopes of extensions by default", async () => {
    const { key } = await issue({ scopes: ['keys:manage', 'visits:write'] });
    expect(await created(await create({}, key))).toHaveProperty('scopes', ['visits:write']);
  });

  it('refuses a caller without a scope to give', async () => {
    const { key } = await issue({ scopes: ['keys:manage'] });
    const message = expect.stringContaining('at least one scope');
    expect(await errorOf(await create({}, key))).toMatchObject({ code: 'validation_failed', message });
  });

  it.each([
    ['{"scopes":[["pets:read"]]}', 'scopes must contain only'],
    ['{"scopes":{"length":1,"0":"pets:read"}}', 'scopes must be'],
    ['{"scopes":null}', 'scopes must be'],
    ['{"expiresInSeconds":3155760001}', 'expiresInSeconds must be'],
    ['{"expiresInSeconds":1.5}', 'expiresInSeconds must be'],
    ['{"expiresInSeconds":"60"}', 'expiresInSeconds must be'],
    [`{"name":"${'x'.repeat(101)}"}`, 'name must have 1 to 100 characters'],
    ['{"name":"a\\u202eb"}', 'bidirectional controls'],
    ['{"name":"a\\u0085b"}', 'control characters'],
    ['{"test":true}', '"test" is not a known field'],
    ['{"account":"other"}', '"account" is not a known field'],
    ['{"plan":"enterprise"}', '"plan" is not a known field'],
  ])('refuses %s', async (body, message) => {
    const refusal = { status: 400, code: 'validation_failed', message: expect.stringContaining(message) };
    expect(await errorOf(await api.service.post('/v1/keys', api.manager.key, body))).toEqual(refusal);
    expect(await (await list()).json()).toHaveLength(1);
  });
});

it('the limit of 100 active keys counts paused keys and keys of the command line, which it does not limit', async () => {
  for (let n = 1; n < 100; n += 1) {
    const { id } = await issue({ scopes: ['pets:read'] });
    if (n === 1) await api.operator.change(id, { paused: true });
  }
  expect(await refusalOf(create())).toBe(LIMIT_REACHED);
  const { id, key } = await issue();
  expect(await codeOf(key)).toBe('ok');
  await revoke(id);
  expect(await refusalOf(create())).toBe(LIMIT_REACHED);
});

const DAY_MS = 86_400_000;
const DAY_SECONDS = 86_400;

/** A key that an operator issued, and that may manage keys. */
const operatorKey = (options: Partial<NewKey> = {}) => issue({ scopes: ['keys:manage', 'pets:read'], ...options });
const managerForDays = (days: number): Promise<IssuedKey> => operatorKey({ expiresInMs: days * DAY_MS });
const createdBy = async (as: IssuedKey, expiresInSeconds?: number) =>
  (await created(await create({ expiresInSeconds }, as.key))).expiresAt;
const rotateAs = async (as: IssuedKey, { id }: IssuedKey) => created(await rotate(id, {}, as.key));

describe('a key that expires', () => {
  it('creates keys that expire with it or earlier, never later', async () => {
    const manager = await operatorKey({ expiresInMs: DAY_MS + 999 });
    expect(await createdBy(manager, 60)).toBe('2026-11-21T12:01:00.000Z');
    expect(await createdBy(manager, DAY_SECONDS)).toBe('2026-11-22T12:00:00.000Z');
    expect(await errorOf(await create({ expiresInSeconds: DAY_SECONDS + 1 }, manager.key))).toEqual({
      status: 400,
      code: 'validation_failed',
      message:
        'expiresInSeconds must be at most 86400 or omitted, because the calling key expires at 2026-11-22T12:00:00.999Z.',
    });
    expect(await (await list('', manager.key)).json()).toHaveLength(4);
  });

  it('passes on its remaining lifetime during its overlap', async () => {
    const manager = await operatorKey();
    await created(await rotate(manager.id, { overlapSeconds: 3_600 }, manager.key));
    api.clock.advanceSeconds(600);
    expect(await refusalOf(create({ expiresInSeconds: 3_001 }, manager.key))).toBe('400 validation_failed');
    expect(await createdBy(manager, 3_000)).toBe('2026-11-21T13:00:00.000Z');
    expect(await createdBy(manager)).toBe('2026-11-21T13:00:00.000Z');
  });

  it.each([
    ['that does not expire', undefined, '2026-11-22T12:00:00.000Z'],
    ['that expires later', 90 * DAY_MS, '2026-11-22T12:00:00.000Z'],
    ['that expires earlier', 60_000, '2026-11-21T12:01:00.000Z'],
  ])('gives no successor that outlives itself to a key %s', async (_, expiresInMs, expected) => {
    const old = await operatorKey({ scopes: ['pets:read'], expiresInMs });
    expect(await rotateAs(await managerForDays(1), old)).toHaveProperty('expiresAt', expected);
  });

  it('cannot extend its lifetime by rotation', async () => {
    let last = await managerForDays(90);
    for (let rotations = 0; rotations < 3; rotations += 1) {
      api.clock.advanceSeconds(20 * DAY_SECONDS);
      last = await rotateAs(last, last);
      expect(last.expiresAt).toBe('2027-02-19T12:00:00.000Z');
    }
    api.clock.advanceSeconds(30 * DAY_SECONDS);
    expect(await refusalOf(rotate(last.id, {}, last.key))).toBe('401 api_key_expired');
  });

  it('gets its full lifetime again from a key without an expiry and from the command line', async () => {
    const own = await managerForDays(90);
    api.clock.advanceSeconds(80 * DAY_SECONDS);
    const capped = await rotateAs(own, own);
    expect(capped.expiresAt).toBe('2027-02-19T12:00:00.000Z');
    const renewed = await rotateAs(await operatorKey(), capped);
    expect(renewed.expiresAt).toBe('2027-05-10T12:00:00.000Z');
    api.clock.advanceSeconds(DAY_SECONDS);
    expect(await api.operator.rotate(renewed.id, 0)).toHaveProperty('expiresAt', '2027-05-11T12:00:00.000Z');
  });
});

describe('a key without an expiry', () => {
  it('creates keys of any lifetime, by default without an expiry', async () => {
    const manager = await operatorKey();
    expect(await createdBy(manager)).toBeUndefined();
    expect(await createdBy(manager, 3_155_760_000)).toBe('2126-11-22T12:00:00.000Z');
  });

  it('has a successor without an expiry again if only the caller expires', async () => {
    const capped = await rotateAs(await managerForDays(1), await operatorKey({ scopes: ['pets:read'] }));
    expect(capped).toHaveProperty('expiresAt');
    expect(await rotateAs(await operatorKey(), capped)).not.toHaveProperty('expiresAt');
  });
});

it('a key of production is refused in staging with the reason, where all keys start with psk_test_', async () => {
  const staging = await startApp({ env: { ENVIRONMENT: 'staging' } });
  const key = await staging.key({ scopes: ['pets:read', 'keys:manage'] });
  const { body: made } = await staging.json<IssuedKey>('/v1/keys', { key, body: {} });
  const { body: next } = await staging.json<IssuedKey>(`/v1/keys/${made.id}/rotate`, { key, body: {} });
  for (const one of [key, made.key, next.key]) expect(one).toMatch(/^psk_test_/);
  expect((await staging.request('/v1/pets', { key })).status).toBe(200);
  const message = expect.stringContaining('is for the production environment');
  const refused = await staging.request('/v1/pets', { key: generateApiKey('live') });
  expect(await errorOf(refused)).toEqual({ status: 401, code: 'invalid_api_key', message });
  await staging.stop();
});
