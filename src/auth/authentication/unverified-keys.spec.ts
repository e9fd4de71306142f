import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthBench, type AuthInstance } from '../../../test/support/auth-service.js';
import { generateApiKey } from '../../api-keys/index.js';
import { ApiError } from '../../errors/index.js';
import { UnverifiedKey } from '../bearer.guard.js';

describe('keys that probably do not exist', () => {
  let bench: AuthBench;
  let service: AuthInstance;
  let other: AuthInstance;

  beforeEach(async () => {
    bench = new AuthBench();
    service = await bench.open();
    other = await bench.open();
    await other.poller.poll();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await bench.remove();
  });

  const issue = () => service.keys.createKey({ account: 'acme', plan: 'pro' }, 'spec');
  const verify = (key: string, { guard } = other) => guard.verify(new UnverifiedKey(key));

  it('are distinguished from existing keys, without a query', async () => {
    const { key, id } = await issue();
    const read = jest.spyOn(service.database, 'read');
    for (let count = 0; count < 50; count += 1) {
      expect(service.verifier.verify(generateApiKey('live'))).toBeUndefined();
    }
    expect(read).not.toHaveBeenCalled();
    expect(await service.verifier.verify(key)).toHaveProperty('keyId', id);
    expect(other.verifier.verify(key)).toBeUndefined();
    await other.poller.poll();
    expect(await other.verifier.verify(key)).toHaveProperty('keyId', id);
  });

  it('are found if another process has created them', async () => {
    const { key, id } = await issue();
    expect(await verify(key)).toHaveProperty('keyId', id);
    expect(await verify(generateApiKey('live'))).toHaveProperty('code', 'invalid_api_key');
  });

  it('are found if they were created during a poll', async () => {
    const read = other.database.read.bind(other.database);
    const made = Promise.withResolvers<string>();
    jest.spyOn(other.database, 'read').mockImplementationOnce(async (work) => {
      const found = await read(work);
      made.resolve((await issue()).key);
      return found;
    });
    const early = verify(generateApiKey('live'));
    expect(await verify(await made.promise)).toHaveProperty('accountId', 1);
    expect(await early).toHaveProperty('code', 'invalid_api_key');
  });

  it('share one poll of the database', async () => {
    const read = jest.spyOn(other.database, 'read');
    await Promise.all(Array.from({ length: 1_000 }, () => verify(generateApiKey('live'))));
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('fail as unavailable only while the database is unavailable', async () => {
    const { key, id } = await issue();
    jest.spyOn(other.database, 'read').mockRejectedValueOnce(new ApiError('service_unavailable', 'away'));
    await expect(verify(key)).rejects.toHaveProperty('code', 'service_unavailable');
    expect(await verify(key)).toHaveProperty('keyId', id);
  });

  it('include all that are not cached, after a thousand look-ups in a minute', async () => {
    const keys: string[] = [];
    for (let count = 0; count < 1_002; count += 1) keys.push((await issue()).key);
    const last = keys.pop() ?? '';
    const late = keys.pop() ?? '';
    for (const key of keys) expect(await service.verifier.verify(key)).toHaveProperty('accountId', 1);
    expect(service.verifier.verify(late)).toBeUndefined();
    expect(await verify(late, service)).toHaveProperty('accountId', 1);
    expect(service.verifier.verify(last)).toBeUndefined();
    bench.clock.advanceMs(60_000);
    expect(await service.verifier.verify(last)).toHaveProperty('accountId', 1);
  });
});
