import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type AuthInstance, authForEachTest } from '../../../test/support/auth-service.js';
import { generateApiKey } from '../keys/api-key-format.js';
import { ApiError } from '../../http/errors/api-error.js';
import { ApiKeysRepository } from '../keys/api-keys.repository.js';

describe('keys that are not cached', () => {
  const { bench, service } = authForEachTest();
  let other: AuthInstance;

  beforeEach(async () => {
    other = await bench.open();
  });

  const verify = async (key: string, { verifier } = other) => verifier.verify(key, true);

  it('are found if another process has created them', async () => {
    const { key, id } = await service.issue();
    expect(await verify(key)).toHaveProperty('keyId', id);
    expect(await verify(generateApiKey('live'))).toHaveProperty('code', 'invalid_api_key');
  });

  it('fail as unavailable only while the database is unavailable', async () => {
    const { key, id } = await service.issue();
    jest.spyOn(ApiKeysRepository.prototype, 'find').mockRejectedValueOnce(new ApiError('service_unavailable', 'away'));
    await expect(verify(key)).rejects.toHaveProperty('code', 'service_unavailable');
    expect(await verify(key)).toHaveProperty('keyId', id);
  });

  it('need quota of the address after a thousand of them in a minute, whether they exist or not', async () => {
    const keys: string[] = [];
    for (let count = 0; count < 502; count += 1) keys.push((await service.issue()).key);
    const last = keys.pop() ?? '';
    const late = keys.pop() ?? '';
    for (const key of keys) {
      expect(await service.verifier.verify(key)).toHaveProperty('accountId', 1);
      expect(await service.verifier.verify(generateApiKey('live'))).toHaveProperty('code', 'invalid_api_key');
    }
    expect(service.verifier.verify(late)).toBeUndefined();
    expect(await verify(late, service)).toHaveProperty('accountId', 1);
    expect(service.verifier.verify(last)).toBeUndefined();
    bench.clock.advanceMs(60_000);
    expect(await service.verifier.verify(last)).toHaveProperty('accountId', 1);
  });
});
