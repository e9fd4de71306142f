import { describe, expect, it, jest } from '@jest/globals';
import { authForEachTest } from '../../../test/support/auth-service.js';
import { ApiError } from '../../http/errors/api-error.js';
import { ApiKeysRepository } from '../keys/api-keys.repository.js';

const reads = () => jest.spyOn(ApiKeysRepository.prototype, 'find');
const databaseGoesAway = () => reads().mockRejectedValue(new ApiError('service_unavailable', 'away'));

describe('KeyVerifier while the database is unavailable', () => {
  const { bench, service } = authForEachTest();

  it('accepts cached keys of any age, and retries the query at most once a second', async () => {
    const { key, id } = await service.issue();
    await service.verifier.verify(key);
    const read = databaseGoesAway();
    bench.clock.advanceMs(86_400_000);
    expect(await service.verifier.verify(key)).toHaveProperty('keyId', id);
    expect(service.verifier.verify(key)).toHaveProperty('keyId', id);
    expect(read).toHaveBeenCalledTimes(1);
    bench.clock.advanceMs(1_000);
    expect(await service.verifier.verify(key)).toHaveProperty('keyId', id);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('refuses cached keys that have expired or were revoked', async () => {
    const expiring = await service.issue({ expiresInMs: 90_000 });
    const revoked = await service.issue();
    await service.keys.revoke(revoked.id);
    await service.verifier.verify(expiring.key);
    await service.verifier.verify(revoked.key);
    databaseGoesAway();
    bench.clock.advanceMs(90_000);
    expect(await service.verifier.verify(expiring.key)).toHaveProperty('code', 'api_key_expired');
    expect(await service.verifier.verify(revoked.key)).toHaveProperty('code', 'api_key_revoked');
  });

  it('refuses a cached key that was revoked during a query that then fails', async () => {
    const { key, id } = await service.issue();
    await service.verifier.verify(key);
    bench.clock.advanceMs(60_000);
    const query = Promise.withResolvers<never>();
    const read = reads().mockReturnValueOnce(query.promise);
    const late = service.verifier.verify(key);
    await service.keys.revoke(id);
    query.reject(new ApiError('service_unavailable', 'away'));
    await expect(late).rejects.toHaveProperty('code', 'service_unavailable');
    read.mockRestore();
    expect(await service.verifier.verify(key)).toHaveProperty('code', 'api_key_revoked');
  });

  it('throws for an uncached key, and accepts it when the database is back', async () => {
    const { key, id } = await service.issue();
    const read = databaseGoesAway();
    await expect(service.verifier.verify(key)).rejects.toHaveProperty('code', 'service_unavailable');
    read.mockRestore();
    expect(await service.verifier.verify(key)).toHaveProperty('keyId', id);
  });
});
