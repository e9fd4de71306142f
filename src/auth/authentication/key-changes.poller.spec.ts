// @postgres: transactions commit in another order than they number their changes.
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type AuthInstance, authForEachTest } from '../../../test/support/auth-service.js';
import { AuditRecord } from '../keys/audit-record.entity.js';
import { ApiKey } from '../keys/api-key.entity.js';
import { ApiError } from '../../http/errors/api-error.js';
import { ApiKeysRepository } from '../keys/api-keys.repository.js';

const AHEAD = 100;

async function moveLast({ database }: AuthInstance, by: number): Promise<void> {
  await database.write(async (manager) => {
    const [last] = await manager.find(AuditRecord, { order: { id: 'DESC' }, take: 1 });
    await manager.update(AuditRecord, { id: last?.id }, { id: Number(last?.id) + by });
  });
}

describe('KeyChangesPoller', () => {
  const { bench, service: here } = authForEachTest();
  let elsewhere: AuthInstance;
  let id: string;
  let key: string;

  beforeEach(async () => {
    elsewhere = await bench.open();
    ({ id, key } = await elsewhere.issue());
    await here.poller.poll();
    await here.verifier.verify(key);
  });

  it('notices that another process revoked a key', async () => {
    await elsewhere.keys.revoke(id);
    expect(here.verifier.verify(key)).toHaveProperty('keyId', id);
    await here.poller.poll();
    expect(await here.verifier.verify(key)).toHaveProperty('code', 'api_key_revoked');
  });

  it('notices that another process rotated a key', async () => {
    await elsewhere.keys.rotate(id, 0);
    await here.poller.poll();
    expect(await here.verifier.verify(key)).toHaveProperty('code', 'api_key_expired');
  });

  it('notices the new plan of an account for all its keys', async () => {
    const second = await elsewhere.issue();
    await here.poller.poll();
    await here.verifier.verify(second.key);
    await elsewhere.keys.changePlan('acme', 'free', {});
    await here.poller.poll();
    expect(await here.verifier.verify(key)).toHaveProperty('limits.perMinute', 60);
    expect(await here.verifier.verify(second.key)).toHaveProperty('plan', 'free');
  });

  it('notices a lifted ban', async () => {
    await elsewhere.keys.unban(id);
    await here.poller.poll();
    expect(await here.verifier.verify(key)).toHaveProperty('bansLiftedAtMs', bench.clock.nowMs());
  });

  it('notices the new scopes of a key', async () => {
    await elsewhere.keys.change(id, { scopes: ['pets:read'] });
    await here.poller.poll();
    expect(await here.verifier.verify(key)).toHaveProperty('scopes', new Set(['pets:read']));
  });

  it('keeps all other keys cached', async () => {
    const other = await elsewhere.issue();
    await elsewhere.keys.revoke(other.id);
    await here.poller.poll();
    const read = jest.spyOn(ApiKeysRepository.prototype, 'find');
    expect(here.verifier.verify(key)).toHaveProperty('keyId', id);
    expect(read).not.toHaveBeenCalled();
  });

  it('processes each change once', async () => {
    await elsewhere.keys.unban(id);
    await here.poller.poll();
    const caller = await here.verifier.verify(key);
    await here.poller.poll();
    expect(here.verifier.verify(key)).toBe(caller);
  });

  it('catches up after failed polls', async () => {
    jest.spyOn(here.database.manager, 'find').mockRejectedValueOnce(new ApiError('service_unavailable', 'away'));
    await elsewhere.keys.revoke(id);
    await expect(here.poller.poll()).rejects.toHaveProperty('code', 'service_unavailable');
    await here.poller.poll();
    expect(await here.verifier.verify(key)).toHaveProperty('code', 'api_key_revoked');
  });

  it('clears the cache on its first successful poll', async () => {
    const late = await bench.open();
    expect(await late.verifier.verify(key)).toHaveProperty('keyId', id);
    await elsewhere.keys.revoke(id);
    await late.poller.poll();
    expect(await late.verifier.verify(key)).toHaveProperty('code', 'api_key_revoked');
  });

  describe('after a failover that lost its last records', () => {
    it('notices the next change, although its identifier is lower', async () => {
      await elsewhere.keys.unban(id);
      await moveLast(here, AHEAD);
      await here.poller.poll();
      await here.verifier.verify(key);
      await moveLast(here, -AHEAD);
      await here.poller.poll();
      await here.verifier.verify(key);
      await elsewhere.keys.revoke(id);
      await here.poller.poll();
      expect(await here.verifier.verify(key)).toHaveProperty('code', 'api_key_revoked');
    });

    it('clears the cache, as lost changes and their identifiers may have been replaced', async () => {
      await here.verifier.verify(key);
      await elsewhere.database.write(async (manager) => {
        const [last] = await manager.find(AuditRecord, { order: { id: 'DESC' }, take: 1 });
        await manager.update(AuditRecord, { id: last?.id }, { at: bench.clock.nowMs() + 1 });
        await manager.update(ApiKey, { id }, { revokedAt: bench.clock.nowMs() });
      });
      await here.poller.poll();
      expect(await here.verifier.verify(key)).toHaveProperty('code', 'api_key_revoked');
    });
  });
});
