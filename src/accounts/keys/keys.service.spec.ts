import { describe, expect, it } from '@jest/globals';
import { authForEachTest } from '../../../test/support/auth-service.js';
import { ApiKey } from '../../auth/keys/api-key.entity.js';
import { AuditRecord } from '../../auth/keys/audit-record.entity.js';
import type { NewKey } from './key-options.js';
import { rfc3339 } from '../../platform/config/clock.js';
import { DEFAULT_SCOPES } from '../../auth/keys/scopes.js';

const HOUR_MS = 3_600_000;
const ENTERPRISE = { account: 'big', plan: 'enterprise', perMinute: 500, perDay: 9_000 } as const;

describe('KeysService', () => {
  const { bench, service } = authForEachTest();

  describe('createKey', () => {
    it('creates an account with its first key', async () => {
      const issued = await service.issue();
      expect(issued).toEqual({
        id: expect.stringMatching(/^key_/),
        key: expect.stringMatching(/^psk_live_/),
        masked: expect.stringMatching(/^psk_live_.{4}….{4}$/),
        account: 'acme',
        plan: 'pro',
        scopes: [...DEFAULT_SCOPES],
        createdAt: rfc3339(bench.clock.nowMs()),
      });
      expect(await service.audited()).toEqual([
        bench.record('account.created', null),
        bench.record('key.created', issued.id),
      ]);
    });

    it('creates further keys of an account, with scopes and an expiry', async () => {
      const first = await service.issue();
      const second = await service.issue({ scopes: ['pets:read', 'pets:read'], expiresInMs: HOUR_MS });
      expect(second).toMatchObject({ scopes: ['pets:read'], expiresAt: rfc3339(bench.clock.nowMs() + HOUR_MS) });
      const [one, two] = await Promise.all([first, second].map(({ key }) => service.verifier.verify(key)));
      expect(one).toHaveProperty('accountId', 1);
      expect(two).toHaveProperty('accountId', 1);
    });

    it('stores nothing that reveals the key', async () => {
      const { key } = await service.issue();
      const { manager } = service.database;
      const tables = JSON.stringify([await manager.find(ApiKey), await manager.find(AuditRecord)]);
      expect(tables).toContain('…');
      expect(tables).not.toContain(key.slice(9, 30));
    });

    it('joins the transaction of its caller', async () => {
      const write = service.database.write(async () => {
        await service.keys.createKey({ account: 'acme', plan: 'pro' });
        throw new Error('changed my mind');
      });
      await expect(write).rejects.toThrow('changed my mind');
      expect(await service.keys.listKeys()).toEqual([]);
      expect(await service.audited()).toEqual([]);
    });

    it('does not change the plan of an existing account', async () => {
      await service.issue();
      await service.issue(ENTERPRISE);
      await expect(service.issue({ plan: 'free' })).rejects.toThrow('"acme" exists on the plan pro');
      await expect(service.issue({ ...ENTERPRISE, perDay: 8_000 })).rejects.toThrow('(500 a minute, 9000 a day)');
      const { key } = await service.issue({ account: 'big', plan: 'enterprise' });
      expect(await service.verifier.verify(key)).toHaveProperty('limits.perDay', 9_000);
    });

    it.each([
      ['enterprise without numbers', { account: 'big', plan: 'enterprise' }, 'requires both'],
      ['enterprise with one number', { ...ENTERPRISE, perDay: undefined }, 'requires both'],
      ['enterprise with a day below its minute', { ...ENTERPRISE, perDay: 499 }, 'not be below'],
      ['enterprise with zero', { ...ENTERPRISE, perMinute: 0 }, 'integers from 1'],
      ['enterprise with a fraction', { ...ENTERPRISE, perMinute: 1.5 }, 'integers from 1'],
      ['enterprise with more than can be', { ...ENTERPRISE, perDay: 1_000_000_001 }, 'integers from 1'],
      ['another plan with numbers', { perMinute: 5, perDay: 10 }, 'fixed limits'],
      ['no name', { account: '' }, '1 to 100 printable'],
      ['a long name', { account: 'x'.repeat(101) }, '1 to 100 printable'],
      ['a name with a control character', { account: 'a\u001b[2Jb' }, '1 to 100 printable'],
      ['a name with a space at its end', { account: 'acme ' }, 'without spaces'],
      ['an invisible name of a key', { name: '\u200b' }, 'not only white space'],
      ['a name of a key that reorders a line', { name: 'a\u202eb' }, 'bidirectional controls'],
      ['a name of a key of two lines', { name: 'a\u2028b' }, 'line separators'],
      ['no scope', { scopes: [] }, 'at least one scope'],
      ['what is no scope', { scopes: ['pets:read"'] }, 'is not a scope'],
      ['no lifetime', { expiresInMs: 0 }, 'lifetime must be above zero'],
    ] as [string, Partial<NewKey>, string][])('refuses %s and stores nothing', async (_, newKey, message) => {
      await expect(service.issue(newKey)).rejects.toThrow(message);
      expect(await service.audited()).toEqual([]);
    });

    it('accepts equal limits per minute and day, up to 1,000,000,000', async () => {
      const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };
      const { key } = await service.issue({ ...ENTERPRISE, ...limits });
      expect(await service.verifier.verify(key)).toHaveProperty('limits', limits);
    });

    it('accepts any printable name of up to 100 characters', async () => {
      const account = `Zoë & 犬 🐕 ${'x'.repeat(90)}`;
      expect(await service.issue({ account })).toHaveProperty('account', account);
    });
  });

  it('lists keys, oldest first', async () => {
    const first = await service.issue({ expiresInMs: HOUR_MS });
    bench.clock.advanceMs(1);
    const second = await service.issue({ account: 'zoo', plan: 'free', scopes: ['pets:read'] });
    const keys = await service.keys.listKeys();
    expect(keys.map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(keys[1]).toEqual({
      id: second.id,
      masked: `${second.key.slice(0, 13)}…${second.key.slice(-4)}`,
      account: 'zoo',
      plan: 'free',
      scopes: ['pets:read'],
      createdAt: rfc3339(bench.clock.nowMs()),
    });
  });
});
