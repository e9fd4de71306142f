import { describe, expect, it } from '@jest/globals';
import { authForEachTest } from '../../../test/support/auth-service.js';
import { AuditRecord } from '../../auth/keys/audit-record.entity.js';
import { rfc3339 } from '../../platform/config/clock.js';

const HOUR_MS = 3_600_000;

describe('KeysService, on existing keys', () => {
  const { bench, service } = authForEachTest();

  const listed = async (id: string) => (await service.keys.listKeys()).find((key) => key.id === id);

  describe('revoke', () => {
    it('revokes a key once, and reports it the second time', async () => {
      const { id } = await service.issue();
      const revokedAt = bench.clock.nowMs();
      expect(await service.keys.revoke(id)).toBe(true);
      expect((await service.audited()).at(-1)).toEqual(bench.record('key.revoked', id));
      bench.clock.advanceMs(1_000);
      expect(await service.keys.revoke(id)).toBe(false);
      expect(await listed(id)).toHaveProperty('revokedAt', rfc3339(revokedAt));
      expect(await service.audited()).toHaveLength(3);
    });

    it('refuses an unknown id without quoting it, because it may be a key', async () => {
      const { key } = await service.issue();
      const revocation = service.keys.revoke(key);
      await expect(revocation).rejects.toHaveProperty('code', 'api_key_not_found');
      await expect(revocation).rejects.not.toHaveProperty('message', expect.stringContaining(key));
    });
  });

  describe('rotate', () => {
    it('creates a successor, and keeps the old key valid for the overlap', async () => {
      const old = await service.issue({ scopes: ['pets:read'] });
      await service.verifier.verify(old.key);
      const next = await service.keys.rotate(old.id, HOUR_MS);
      expect(next).toMatchObject({ account: 'acme', scopes: ['pets:read'], replaces: old.id });
      expect(next).not.toHaveProperty('expiresAt');
      expect(next.replacedExpiresAt).toBe(rfc3339(bench.clock.nowMs() + HOUR_MS));
      expect((await service.audited()).slice(-2)).toEqual([
        bench.record('key.created', next.id),
        bench.record('key.rotated', old.id),
      ]);

      bench.clock.advanceMs(HOUR_MS - 1);
      expect(await service.verifier.verify(old.key)).toHaveProperty('keyId', old.id);
      bench.clock.advanceMs(1);
      expect(await service.verifier.verify(old.key)).toHaveProperty('code', 'api_key_expired');
      expect(await service.verifier.verify(next.key)).toHaveProperty('keyId', next.id);
    });

    it('ends the old key at once if there is no overlap', async () => {
      const old = await service.issue();
      await service.verifier.verify(old.key);
      await service.keys.rotate(old.id, 0);
      expect(await service.verifier.verify(old.key)).toHaveProperty('code', 'api_key_expired');
    });

    it('never extends the old key, and gives the successor the original lifetime', async () => {
      const old = await service.issue({ expiresInMs: 10 * HOUR_MS });
      bench.clock.advanceMs(9 * HOUR_MS);
      const next = await service.keys.rotate(old.id, 24 * HOUR_MS);
      expect(next.replacedExpiresAt).toBe(old.expiresAt);
      expect(next.expiresAt).toBe(rfc3339(bench.clock.nowMs() + 10 * HOUR_MS));
    });

    it('gives the full lifetime to the successor of a key that is rotated twice', async () => {
      const { id } = await service.issue();
      await service.keys.rotate(id, HOUR_MS);
      expect(await service.keys.rotate(id, 0)).not.toHaveProperty('expiresAt');
    });

    it('refuses a revoked key and an invalid overlap', async () => {
      const { id } = await service.issue();
      await expect(service.keys.rotate(id, -1)).rejects.toThrow('overlap must be zero or more');
      await service.keys.revoke(id);
      await expect(service.keys.rotate(id, 0)).rejects.toThrow('was revoked at 2026-11-21T12:00:00.000Z');
      expect(await service.keys.listKeys()).toHaveLength(1);
    });
  });

  describe('changeScopes', () => {
    it('adds or removes scopes from the next request on', async () => {
      const { id, key } = await service.issue({ scopes: ['pets:read'] });
      await service.verifier.verify(key);
      const changed = await service.keys.change(id, { scopes: ['pets:write', 'keys:manage', 'pets:write'] });
      expect(changed).toEqual({ ...(await listed(id)), scopes: ['pets:write', 'keys:manage'] });
      expect(await service.verifier.verify(key)).toHaveProperty('scopes', new Set(['pets:write', 'keys:manage']));
      const records = await service.database.manager.find(AuditRecord, { order: { id: 'ASC' } });
      const last = records.at(-1);
      expect(last).toMatchObject(bench.record('key.scopes_changed', id));
      expect(JSON.parse(last?.detail ?? '')).toEqual({ from: ['pets:read'], to: ['pets:write', 'keys:manage'] });
    });

    it('writes no audit record if the scopes do not change', async () => {
      const { id } = await service.issue({ scopes: ['pets:read', 'pets:write'] });
      const before = await service.audited();
      expect(await service.keys.change(id, { scopes: ['pets:write', 'pets:read'] })).toEqual(await listed(id));
      expect(await service.audited()).toEqual(before);
    });

    it('passes the scopes on to the successor', async () => {
      const { id } = await service.issue();
      await service.keys.change(id, { scopes: ['pets:read'] });
      expect(await service.keys.rotate(id, 0)).toHaveProperty('scopes', ['pets:read']);
    });

    it.each([
      [[], 'at least one scope'],
      [['pets:read', ''], 'is not a scope'],
      [['pets'], 'is not a scope'],
    ])('refuses %j and changes nothing', async (scopes, message) => {
      const { id } = await service.issue();
      const before = [await listed(id), await service.audited()];
      await expect(service.keys.change(id, { scopes: scopes })).rejects.toThrow(message);
      expect([await listed(id), await service.audited()]).toEqual(before);
    });

    it('refuses a revoked key and an unknown id', async () => {
      const { id } = await service.issue();
      await service.keys.revoke(id);
      await expect(service.keys.change(id, { scopes: ['pets:read'] })).rejects.toThrow('was revoked');
      const unknown = service.keys.change('key_0', { scopes: ['pets:read'] });
      await expect(unknown).rejects.toHaveProperty('code', 'api_key_not_found');
    });
  });

  describe('changePlan', () => {
    it('applies from the next request on', async () => {
      const { key } = await service.issue();
      await service.verifier.verify(key);
      const limits = await service.keys.changePlan('acme', 'enterprise', { perMinute: 7, perDay: 70 });
      expect(limits).toEqual({ perMinute: 7, perDay: 70 });
      expect((await service.audited()).at(-1)).toEqual(bench.record('account.plan_changed', null));
      expect(await service.verifier.verify(key)).toMatchObject({ plan: 'enterprise', limits });
    });

    it('clears the custom limits when an account leaves the Enterprise plan', async () => {
      const { key } = await service.issue({ account: 'big', plan: 'enterprise', perMinute: 500, perDay: 9_000 });
      await service.keys.changePlan('big', 'free', {});
      expect(await service.verifier.verify(key)).toMatchObject({
        plan: 'free',
        limits: { perMinute: 60, perDay: 1_000 },
      });
      await expect(service.keys.changePlan('big', 'enterprise', {})).rejects.toThrow('requires both');
    });

    it('refuses an unknown account', async () => {
      await expect(service.keys.changePlan('nobody', 'free', {})).rejects.toThrow('no account named "nobody"');
    });
  });

  describe('unban', () => {
    it('passes the time of the lift to the verifier', async () => {
      const { id, key } = await service.issue();
      await service.verifier.verify(key);
      bench.clock.advanceMs(1_000);
      await service.keys.unban(id);
      expect(await service.verifier.verify(key)).toHaveProperty('bansLiftedAtMs', bench.clock.nowMs());
      expect((await service.audited()).at(-1)).toEqual(bench.record('key.unbanned', id));
    });

    it('refuses a revoked key', async () => {
      const { id } = await service.issue();
      await service.keys.revoke(id);
      await expect(service.keys.unban(id)).rejects.toThrow('was revoked');
    });
  });
});
