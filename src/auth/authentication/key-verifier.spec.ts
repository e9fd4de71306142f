import { describe, expect, it, jest } from '@jest/globals';
import { shareAuth } from '../../../test/support/auth-service.js';
import type { NewKey } from '../../accounts/keys/key-options.js';
import { ApiError } from '../../http/errors/api-error.js';
import { generateApiKey } from '../keys/api-key-format.js';
import { ApiKeysRepository } from '../keys/api-keys.repository.js';

const { bench, service } = shareAuth();

const verify = async (key: string) => service.verifier.verify(key);
const reads = () => jest.spyOn(ApiKeysRepository.prototype, 'find');
const AWAY = new ApiError('service_unavailable', 'away');

/** A key that is cached. */
async function cachedKey(newKey: Partial<NewKey> = {}) {
  const issued = await service.issue(newKey);
  await verify(issued.key);
  return issued;
}

describe('a valid key', () => {
  it('has a caller, which a cached key has synchronously', async () => {
    const { id, key } = await service.issue({ scopes: ['pets:read'] });
    const caller = await verify(key);
    expect(caller).toEqual({
      keyId: id,
      accountId: 1,
      account: 'acme',
      plan: 'pro',
      limits: { perMinute: 300, perDay: 10_000 },
      scopes: new Set(['pets:read']),
      bansLiftedAtMs: 0,
    });
    const read = reads();
    expect(service.verifier.verify(key)).toBe(caller);
    expect(read).not.toHaveBeenCalled();
  });

  it('is queried once for concurrent requests', async () => {
    const { key, id } = await service.issue();
    const read = reads();
    const responses = await Promise.all(Array.from({ length: 20 }, () => verify(key)));
    expect(responses).toEqual(Array(20).fill(expect.objectContaining({ keyId: id })));
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('expires in its last millisecond, cached or not', async () => {
    const { key, id } = await cachedKey({ expiresInMs: 5_000 });
    bench.clock.advanceMs(4_999);
    expect(service.verifier.verify(key)).toHaveProperty('keyId', id);
    bench.clock.advanceMs(1);
    expect(service.verifier.verify(key)).toHaveProperty('code', 'api_key_expired');
    service.verifier.forgetAll();
    expect(await verify(key)).toHaveProperty('code', 'api_key_expired');
  });
});

describe('a key that does not exist', () => {
  it('is refused without a query if it is malformed', async () => {
    const { key } = await service.issue();
    const read = reads();
    for (const token of ['abc', `${key}0`, key.replace('live', 'test')])
      expect(service.verifier.verify(token)).toHaveProperty('code', 'invalid_api_key');
    expect(read).not.toHaveBeenCalled();
  });

  it('is queried each time, and not cached', async () => {
    const unknown = generateApiKey('live');
    const read = reads();
    for (let count = 0; count < 3; count += 1) expect(await verify(unknown)).toHaveProperty('code', 'invalid_api_key');
    expect(read).toHaveBeenCalledTimes(3);
  });

  it('leaves the cache, if it was deleted', async () => {
    const { key, id } = await cachedKey();
    await service.database.write((manager) => manager.query(`DELETE FROM "api_keys" WHERE "id" = '${id}'`));
    bench.clock.advanceMs(60_000);
    const read = reads();
    for (const times of [1, 2]) {
      expect(await verify(key)).toHaveProperty('code', 'invalid_api_key');
      expect(read).toHaveBeenCalledTimes(times);
    }
  });
});

describe('a revoked key', () => {
  it('is refused from the next request on, and then from memory', async () => {
    const { key, id } = await cachedKey({ expiresInMs: 5_000 });
    await service.keys.revoke(id);
    bench.clock.advanceMs(6_000);
    expect(await verify(key)).toHaveProperty('code', 'api_key_revoked');
    const read = reads();
    expect(service.verifier.verify(key)).toHaveProperty('code', 'api_key_revoked');
    expect(read).not.toHaveBeenCalled();
  });

  it('is not accepted by later requests for a query from before its revocation', async () => {
    const { key, id } = await service.issue();
    const held = Promise.withResolvers<void>();
    const { find } = ApiKeysRepository.prototype;
    reads().mockImplementationOnce(async (...where) => {
      const result = await find(...where);
      await held.promise;
      return result;
    });
    const before = verify(key);
    await service.keys.revoke(id);
    expect(await verify(key)).toHaveProperty('code', 'api_key_revoked');
    held.resolve();
    expect(await before).toHaveProperty('keyId', id);
    expect(service.verifier.verify(key)).toHaveProperty('code', 'api_key_revoked');
  });

  it('is refused after a minute, if nothing told of its revocation', async () => {
    const { key, id } = await cachedKey();
    await (await bench.open()).keys.revoke(id);
    bench.clock.advanceMs(59_999);
    expect(service.verifier.verify(key)).toHaveProperty('keyId', id);
    bench.clock.advanceMs(1);
    expect(await verify(key)).toHaveProperty('code', 'api_key_revoked');
  });
});

describe('while the database is unavailable', () => {
  it('a cached key of any age is accepted, and queried at most once a second', async () => {
    const { key, id } = await cachedKey();
    const read = reads().mockRejectedValue(AWAY);
    bench.clock.advanceMs(86_400_000);
    expect(await verify(key)).toHaveProperty('keyId', id);
    expect(service.verifier.verify(key)).toHaveProperty('keyId', id);
    expect(read).toHaveBeenCalledTimes(1);
    bench.clock.advanceMs(1_000);
    expect(await verify(key)).toHaveProperty('keyId', id);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('a cached key that has expired or was revoked is refused', async () => {
    const expiring = await cachedKey({ expiresInMs: 90_000 });
    const revoked = await service.issue();
    await service.keys.revoke(revoked.id);
    await verify(revoked.key);
    reads().mockRejectedValue(AWAY);
    bench.clock.advanceMs(90_000);
    expect(await verify(expiring.key)).toHaveProperty('code', 'api_key_expired');
    expect(await verify(revoked.key)).toHaveProperty('code', 'api_key_revoked');
  });

  it('a cached key that was revoked during a query that then fails is refused', async () => {
    const { key, id } = await cachedKey();
    bench.clock.advanceMs(60_000);
    const query = Promise.withResolvers<never>();
    const read = reads().mockReturnValueOnce(query.promise);
    const late = verify(key);
    await service.keys.revoke(id);
    query.reject(AWAY);
    await expect(late).rejects.toHaveProperty('code', 'service_unavailable');
    read.mockRestore();
    expect(await verify(key)).toHaveProperty('code', 'api_key_revoked');
  });

  it('another key cannot be verified, until the database is back', async () => {
    const { key, id } = await service.issue();
    reads().mockRejectedValueOnce(AWAY);
    await expect(verify(key)).rejects.toHaveProperty('code', 'service_unavailable');
    expect(await verify(key)).toHaveProperty('keyId', id);
  });
});

it('keys that are not cached need quota of the address after a thousand in a minute, whether they exist or not', async () => {
  const keys = await Promise.all(Array.from({ length: 12 }, () => service.issue()));
  const [late, later, ...existing] = keys.map(({ key }) => key);
  bench.clock.advanceMs(60_000);
  const unknown = Array.from({ length: 990 }, () => generateApiKey('live'));
  const results = await Promise.all([...existing, ...unknown].map(verify));
  expect(results).not.toContain(undefined);
  expect(service.verifier.verify(String(late))).toBeUndefined();
  expect(await service.verifier.verify(String(late), true)).toHaveProperty('accountId', 1);
  expect(service.verifier.verify(String(later))).toBeUndefined();
  bench.clock.advanceMs(60_000);
  expect(await verify(String(later))).toHaveProperty('accountId', 1);
});
