import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { IssuedKey } from '../../src/accounts/keys/key-responses.dto.js';
import type { NewKey } from '../../src/accounts/keys/key-options.js';
import { errorOf } from '../support/expectations.js';
import { created, type Issued, KeysApi } from '../support/keys-api.js';

const DAY_MS = 86_400_000;
const DAY_SECONDS = 86_400;

const api = new KeysApi();

beforeAll(api.start);
afterAll(api.stop);
beforeEach(api.reset);

/** A key that an operator issued, and that may manage keys. */
const operatorKey = (options: Partial<NewKey> = {}) => api.issue({ scopes: ['keys:manage', 'pets:read'], ...options });
const managerForDays = (days: number): Promise<IssuedKey> => operatorKey({ expiresInMs: days * DAY_MS });
const create = (as: IssuedKey | Issued, body: object) => api.create(body, as.key);
const rotate = (as: IssuedKey | Issued, id: string, body: object = {}) => api.rotate(id, body, as.key);
const expiryOf = async (made: Promise<Response>) => (await created(await made)).expiresAt;

describe('a key that expires', () => {
  it('creates keys that expire with it by default', async () => {
    const manager = await managerForDays(10);
    api.clock.advanceSeconds(DAY_SECONDS);
    const made = await created(await create(manager, {}));
    expect(made).toHaveProperty('expiresAt', '2026-12-01T12:00:00.000Z');
  });

  it('creates keys that expire with it or earlier, never later', async () => {
    const manager = await operatorKey({ expiresInMs: DAY_MS + 999 });
    expect(await expiryOf(create(manager, { expiresInSeconds: 60 }))).toBe('2026-11-21T12:01:00.000Z');
    expect(await expiryOf(create(manager, { expiresInSeconds: DAY_SECONDS }))).toBe('2026-11-22T12:00:00.000Z');
    expect(await errorOf(await create(manager, { expiresInSeconds: DAY_SECONDS + 1 }))).toEqual({
      status: 400,
      code: 'validation_failed',
      message:
        'expiresInSeconds must be at most 86400 or omitted, because the calling key expires at 2026-11-22T12:00:00.999Z.',
    });
    expect(await (await api.list('', manager.key)).json()).toHaveLength(4);
  });

  it('creates keys with exactly its remaining lifetime', async () => {
    const manager = await managerForDays(1);
    expect(await expiryOf(create(manager, { expiresInSeconds: DAY_SECONDS }))).toBe('2026-11-22T12:00:00.000Z');
  });

  it('passes on its remaining lifetime during its overlap', async () => {
    const manager = await operatorKey();
    await created(await rotate(manager, manager.id, { overlapSeconds: 3_600 }));
    api.clock.advanceSeconds(600);
    expect(await errorOf(await create(manager, { expiresInSeconds: 3_001 }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('at most 3000 '),
    });
    expect(await expiryOf(create(manager, {}))).toBe('2026-11-21T13:00:00.000Z');
  });

  it('gives no key a successor that outlives the caller', async () => {
    const manager = await managerForDays(1);
    const endless = await operatorKey({ scopes: ['pets:read'] });
    expect(await expiryOf(rotate(manager, endless.id))).toBe('2026-11-22T12:00:00.000Z');
    const long = await operatorKey({ scopes: ['pets:read'], expiresInMs: 90 * DAY_MS });
    expect(await expiryOf(rotate(manager, long.id))).toBe('2026-11-22T12:00:00.000Z');
    const short = await operatorKey({ scopes: ['pets:read'], expiresInMs: 60_000 });
    expect(await expiryOf(rotate(manager, short.id))).toBe('2026-11-21T12:01:00.000Z');
  });

  it('cannot extend its lifetime by rotation', async () => {
    let last: Issued = await created(
      await create(await operatorKey(), { scopes: ['keys:manage', 'pets:read'], expiresInSeconds: 90 * DAY_SECONDS }),
    );
    for (let rotations = 0; rotations < 3; rotations += 1) {
      api.clock.advanceSeconds(20 * DAY_SECONDS);
      last = await created(await rotate(last, last.id));
      expect(last.expiresAt).toBe('2027-02-19T12:00:00.000Z');
    }
    api.clock.advanceSeconds(30 * DAY_SECONDS);
    expect(await errorOf(await rotate(last, last.id))).toMatchObject({ status: 401, code: 'api_key_expired' });
  });

  it('gets its full lifetime again from a key without an expiry and from the command line', async () => {
    const manager = await operatorKey();
    const own = await managerForDays(90);
    api.clock.advanceSeconds(80 * DAY_SECONDS);
    const capped = await created(await rotate(own, own.id));
    expect(capped.expiresAt).toBe('2027-02-19T12:00:00.000Z');
    const renewed = await created(await rotate(manager, capped.id));
    expect(renewed.expiresAt).toBe('2027-05-10T12:00:00.000Z');
    api.clock.advanceSeconds(DAY_SECONDS);
    const { expiresAt } = await api.operator.rotate(renewed.id, 0);
    expect(new Date(expiresAt ?? 0).toISOString()).toBe('2027-05-11T12:00:00.000Z');
  });
});

describe('a key without an expiry', () => {
  it('creates keys of any lifetime, by default without an expiry', async () => {
    const manager = await operatorKey();
    expect(await created(await create(manager, {}))).not.toHaveProperty('expiresAt');
    expect(await expiryOf(create(manager, { expiresInSeconds: 3_155_760_000 }))).toBe('2126-11-22T12:00:00.000Z');
  });

  it('has a successor without an expiry again if only the caller expires', async () => {
    const endless = await operatorKey({ scopes: ['pets:read'] });
    const capped = await created(await rotate(await managerForDays(1), endless.id));
    expect(capped).toHaveProperty('expiresAt');
    expect(await created(await rotate(await operatorKey(), capped.id))).not.toHaveProperty('expiresAt');
  });
});
