import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { authForEachTest } from '../../../test/support/auth-service.js';
import { ApiKey } from '../keys/api-key.entity.js';
import { generateApiKey } from '../keys/api-key-format.js';
import { ApiKeysRepository } from '../keys/api-keys.repository.js';

const reads = () => jest.spyOn(ApiKeysRepository.prototype, 'find');

describe('KeyVerifier', () => {
  const { bench, service } = authForEachTest();

  const restarted = async () => {
    const { poller, verifier } = await bench.open();
    await poller.poll();
    return verifier;
  };

  it('returns the caller of a key', async () => {
    const { id, key } = await service.issue({ scopes: ['pets:read'] });
    expect(await service.verifier.verify(key)).toEqual({
      keyId: id,
      accountId: 1,
      account: 'acme',
      plan: 'pro',
      limits: { perMinute: 300, perDay: 10_000 },
      scopes: new Set(['pets:read']),
      bansLiftedAtMs: 0,
    });
  });

  it('returns the same caller synchronously for a cached key', async () => {
    const { key } = await service.issue();
    const first = await service.verifier.verify(key);
    const read = reads();
    expect(service.verifier.verify(key)).toBe(first);
    expect(read).not.toHaveBeenCalled();
  });

  it('refuses a malformed key or a wrong checksum without a query', async () => {
    const { key } = await service.issue();
    const read = reads();
    for (const token of ['abc', `${key}0`, key.replace('live', 'test')]) {
      expect(service.verifier.verify(token)).toHaveProperty('code', 'invalid_api_key');
    }
    expect(read).not.toHaveBeenCalled();
  });

  it('refuses unknown keys, and caches nothing', async () => {
    const unknown = generateApiKey('live');
    const read = reads();
    for (let count = 0; count < 3; count += 1) {
      expect(await service.verifier.verify(unknown)).toHaveProperty('code', 'invalid_api_key');
    }
    expect(read).toHaveBeenCalledTimes(3);
  });

  it('accepts a key from before the start', async () => {
    const { key, id } = await service.issue();
    expect(await (await restarted()).verify(key)).toHaveProperty('keyId', id);
  });

  it('runs one query for concurrent requests with the same uncached key', async () => {
    const { key, id } = await service.issue();
    const read = reads();
    const responses = await Promise.all(Array.from({ length: 20 }, () => service.verifier.verify(key)));
    expect(responses).toEqual(Array(20).fill(expect.objectContaining({ keyId: id })));
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('refuses a key from the millisecond of its expiry on, also if it is cached', async () => {
    const { key, id } = await service.issue({ expiresInMs: 5_000 });
    await service.verifier.verify(key);
    bench.clock.advanceMs(4_999);
    expect(service.verifier.verify(key)).toHaveProperty('keyId', id);
    bench.clock.advanceMs(1);
    expect(service.verifier.verify(key)).toHaveProperty('code', 'api_key_expired');
    expect(await (await restarted()).verify(key)).toHaveProperty('code', 'api_key_expired');
  });

  it('reports an expired and revoked key as revoked', async () => {
    const { key, id } = await service.issue({ expiresInMs: 5_000 });
    await service.keys.revoke(id);
    bench.clock.advanceMs(6_000);
    expect(await service.verifier.verify(key)).toHaveProperty('code', 'api_key_revoked');
  });

  it('refuses a revoked key from memory', async () => {
    const { key, id } = await service.issue();
    await service.keys.revoke(id);
    await service.verifier.verify(key);
    const read = reads();
    expect(service.verifier.verify(key)).toHaveProperty('code', 'api_key_revoked');
    expect(read).not.toHaveBeenCalled();
  });

  it('refuses a revoked key from the next request on', async () => {
    const { key, id } = await service.issue();
    await service.verifier.verify(key);
    await service.keys.revoke(id);
    expect(await service.verifier.verify(key)).toHaveProperty('code', 'api_key_revoked');
  });

  it('does not use a query from before a revocation for later requests', async () => {
    const { key, id } = await service.issue();
    const held = Promise.withResolvers<void>();
    const { find } = ApiKeysRepository.prototype;
    reads().mockImplementationOnce(async (...where) => {
      const result = await find(...where);
      await held.promise;
      return result;
    });
    const before = service.verifier.verify(key);
    await service.keys.revoke(id);
    const after = service.verifier.verify(key);
    expect(await after).toHaveProperty('code', 'api_key_revoked');
    held.resolve();
    expect(await before).toHaveProperty('keyId', id);
    expect(service.verifier.verify(key)).toHaveProperty('code', 'api_key_revoked');
  });

  it('queries a cached key again after a minute', async () => {
    const { key, id } = await service.issue();
    await service.verifier.verify(key);
    await (await bench.open()).keys.revoke(id);
    bench.clock.advanceMs(59_999);
    expect(service.verifier.verify(key)).toHaveProperty('keyId', id);
    bench.clock.advanceMs(1);
    expect(await service.verifier.verify(key)).toHaveProperty('code', 'api_key_revoked');
  });

  it('notices within a minute that a key was revoked in the database, also if the database is slow', async () => {
    const { key, id } = await service.issue();
    await service.verifier.verify(key);
    const { find } = ApiKeysRepository.prototype;
    reads().mockImplementation(async (...where) => {
      await delay(150);
      return find(...where);
    });
    for (let minute = 0; minute < 3; minute += 1) {
      bench.clock.advanceMs(60_000);
      expect(await service.verifier.verify(key)).toHaveProperty('keyId', id);
      expect(service.verifier.verify(key)).toHaveProperty('keyId', id);
    }
    await service.database.write((manager) => manager.update(ApiKey, { id }, { revokedAt: bench.clock.nowMs() }));
    bench.clock.advanceMs(60_000);
    expect(await service.verifier.verify(key)).toHaveProperty('code', 'api_key_revoked');
  });

  it('removes a deleted key from the cache', async () => {
    const { key } = await service.issue();
    await service.verifier.verify(key);
    await service.database.write((manager) => manager.query('DELETE FROM "api_keys"'));
    bench.clock.advanceMs(60_000);
    const read = reads();
    for (const times of [1, 2]) {
      expect(await service.verifier.verify(key)).toHaveProperty('code', 'invalid_api_key');
      expect(read).toHaveBeenCalledTimes(times);
    }
  });
});
