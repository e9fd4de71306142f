import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AuthBench, type AuthInstance } from '../../../test/support/auth-service.js';
import { ApiKey, generateApiKey, hashApiKey } from '../../api-keys/index.js';
import { KeyBloomFilter } from './key-bloom-filter.js';

const hashes = (count: number) => Array.from({ length: count }, () => hashApiKey(generateApiKey('live')));

describe('KeyBloomFilter', () => {
  let bench: AuthBench;
  let service: AuthInstance;
  let filter: KeyBloomFilter;

  beforeEach(async () => {
    bench = new AuthBench();
    service = await bench.open();
    filter = new KeyBloomFilter(service.database);
  });
  afterEach(() => bench.remove());

  it('contains every added key and hardly any other', () => {
    const added = hashes(2_000);
    added.forEach((sha256) => filter.add(sha256));
    expect(added.every((sha256) => filter.mayHave(sha256))).toBe(true);
    expect(hashes(2_000).filter((sha256) => filter.mayHave(sha256))).toEqual([]);
  });

  it('loads all keys of the database, page by page', async () => {
    const { key } = await service.keys.createKey({ account: 'acme', plan: 'pro' }, 'spec');
    const stored = hashes(1_500);
    await service.database.write(async (manager) => {
      const row = await manager.findOneByOrFail(ApiKey, {});
      await manager.insert(
        ApiKey,
        stored.map((sha256, index) => ({ ...row, id: `key ${index}`, sha256 })),
      );
    });
    await filter.load();
    expect([hashApiKey(key), ...stored].every((sha256) => filter.mayHave(sha256))).toBe(true);
  });
});
