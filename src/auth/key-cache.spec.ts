import { describe, expect, it } from '@jest/globals';
import { KeyCache } from './key-cache.js';
import { KnownKey } from './known-key.js';

function known(accountId: number, id: string): KnownKey {
  const account = { id: accountId, name: `account ${accountId}`, plan: 'pro' as const, perMinute: null, perDay: null, createdAt: 0 };
  const times = { createdAt: 0, expiresAt: null, revokedAt: null, lastUsedAt: null, bansLiftedAt: null };
  return new KnownKey({ id, accountId, account, sha256: '', masked: '', scopes: 'pets:read', ...times }, 1_000);
}

function filled(capacity: number, ...ids: string[]): KeyCache {
  const cache = new KeyCache(capacity);
  for (const id of ids) cache.set(`token of ${id}`, known(1, id));
  return cache;
}

const idsIn = (cache: KeyCache, ...ids: string[]) => ids.filter((id) => cache.get(`token of ${id}`)?.caller.keyId === id);

describe('KeyCache', () => {
  it('never keeps more keys than its capacity', () => {
    const cache = filled(100, ...Array.from({ length: 1_000 }, (_, index) => `key_${index}`));
    expect(cache.size).toBe(100);
  });

  it('gives up the key that was set longest ago', () => {
    const cache = filled(3, 'a', 'b', 'c');
    cache.set('token of a', known(1, 'a'));
    cache.set('token of d', known(1, 'd'));
    expect(idsIn(cache, 'a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
  });

  it('forgets one key, or all keys of an account', () => {
    const cache = filled(10, 'a', 'b');
    cache.set('token of c', known(2, 'c'));
    cache.set('token of d', known(2, 'd'));
    cache.forget({ accountId: 1, keyId: 'a' });
    expect(idsIn(cache, 'a', 'b', 'c', 'd')).toEqual(['b', 'c', 'd']);
    cache.forget({ accountId: 2, keyId: null });
    expect(idsIn(cache, 'a', 'b', 'c', 'd')).toEqual(['b']);
  });
});
