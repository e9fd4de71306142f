// @postgres: transactions commit in another order than they number their changes.
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { type AuthInstance, shareAuth } from '../../../test/support/auth-service.js';
import { runAs } from '../../database/events/actor.js';
import { ApiError } from '../../http/errors/api-error.js';
import { ApiKey } from '../keys/api-key.entity.js';
import { ApiKeysRepository } from '../keys/api-keys.repository.js';
import { audit, AuditRecord } from '../keys/audit-record.entity.js';

const AHEAD = 100;

const { bench, service: here } = shareAuth();
let elsewhere: AuthInstance;
let id: string;
let key: string;

beforeAll(async () => {
  elsewhere = await bench.open();
});
beforeEach(async () => {
  ({ id, key } = await elsewhere.issue());
  await here.poller.poll();
  await verify();
});

const verify = async (token = key) => here.verifier.verify(token);

/** Changes the last audit record. */
async function changeLast(change: (last: AuditRecord) => Partial<AuditRecord>): Promise<void> {
  await here.database.write(async (manager) => {
    const [last] = await manager.find(AuditRecord, { order: { id: 'DESC' }, take: 1 });
    if (last !== undefined) await manager.update(AuditRecord, { id: last.id }, change(last));
  });
}

describe('a poll', () => {
  it('notices that a key was revoked while something else was audited', async () => {
    const { accountId } = await elsewhere.database.manager.findOneByOrFail(ApiKey, { id });
    const [revoked, polled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const revoking = elsewhere.keys.operate(async (operation) => {
      await operation.manager.update(ApiKey, { id }, { revokedAt: operation.atMs });
      await audit(operation, 'key.revoked', accountId, id, {});
      revoked.resolve();
      await polled.promise;
    });
    await revoked.promise;
    const auditing = elsewhere.database.write((manager) =>
      audit({ manager, atMs: bench.clock.nowMs() }, 'webhook.created', accountId, id, {}),
    );
    // Its record must not become visible before the one of the revocation, which has a lower number.
    await Promise.race([auditing, delay(100)]);
    await here.poller.poll();
    await verify();
    polled.resolve();
    await Promise.all([revoking, auditing]);
    await here.poller.poll();
    expect(await verify()).toHaveProperty('code', 'api_key_revoked');
  });

  it('notices the new plan of an account for all its keys', async () => {
    const second = await elsewhere.issue();
    await here.poller.poll();
    await verify(second.key);
    await elsewhere.accounts.changePlan('acme', 'free', {});
    await here.poller.poll();
    for (const token of [key, second.key])
      expect(await verify(token)).toMatchObject({ plan: 'free', limits: { perMinute: 60 } });
    await elsewhere.accounts.changePlan('acme', 'pro', {});
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
    const caller = await verify();
    await here.poller.poll();
    expect(here.verifier.verify(key)).toBe(caller);
  });

  it('catches up after one that failed', async () => {
    jest.spyOn(here.database.manager, 'query').mockRejectedValueOnce(new ApiError('service_unavailable', 'away'));
    await elsewhere.keys.revoke(id);
    await expect(here.poller.poll()).rejects.toHaveProperty('code', 'service_unavailable');
    await here.poller.poll();
    expect(await verify()).toHaveProperty('code', 'api_key_revoked');
  });

  it('clears the cache if it is the first one', async () => {
    const late = await bench.open();
    expect(await late.verifier.verify(key)).toHaveProperty('keyId', id);
    await elsewhere.keys.revoke(id);
    await late.poller.poll();
    expect(await late.verifier.verify(key)).toHaveProperty('code', 'api_key_revoked');
  });
});

it('the log of changes by other processes has what takes effect on requests, by whom, and not what does not', async () => {
  const log = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
  const { accounts, keys, database } = elsewhere;
  await keys.change(id, { name: 'Renamed', scopes: ['pets:read'], paused: true });
  await keys.change(id, { paused: false });
  await keys.unban(id);
  await keys.rotate(id, 60_000);
  await keys.revoke(id);
  await accounts.changePlan('acme', 'pro', {});
  await runAs('cli:ops', () => accounts.suspend('acme', 'fraud'));
  await accounts.resume('acme');
  const { accountId } = await database.manager.findOneByOrFail(ApiKey, { id });
  await here.poller.poll();
  await here.poller.poll();
  const line = (message: string, keyId?: string, actor = 'unknown') => ({ message, keyId, actor, accountId });
  expect(log.mock.calls.map(([logged]) => logged)).toEqual([
    ...['key.paused', 'key.resumed', 'key.unbanned', 'key.revoked'].map((message) => line(message, id)),
    line('account.plan_changed'),
    line('account.suspended', undefined, 'cli:ops'),
    line('account.resumed'),
  ]);
});

describe('a poll after a failover that lost the last records', () => {
  it('notices the next change, although its identifier is lower', async () => {
    await elsewhere.keys.unban(id);
    await changeLast((last) => ({ id: Number(last.id) + AHEAD }));
    await here.poller.poll();
    await verify();
    await changeLast((last) => ({ id: Number(last.id) - AHEAD }));
    await here.poller.poll();
    await verify();
    await elsewhere.keys.revoke(id);
    await here.poller.poll();
    expect(await verify()).toHaveProperty('code', 'api_key_revoked');
  });

  it('clears the cache, as lost changes and their identifiers may have been replaced', async () => {
    await changeLast(() => ({ at: bench.clock.nowMs() + 1 }));
    await here.database.manager.update(ApiKey, { id }, { revokedAt: bench.clock.nowMs() });
    await here.poller.poll();
    expect(await verify()).toHaveProperty('code', 'api_key_revoked');
  });
});

const deleteRecords = () => here.database.write((manager) => manager.query('DELETE FROM "audit_records"'));
const lastRecord = async () => Number((await here.database.manager.maximum(AuditRecord, 'id')) ?? 0);

describe('after all audit records were deleted', () => {
  it('the next poll but one notices the next change, whose identifier is new', async () => {
    const last = await lastRecord();
    await deleteRecords();
    await here.poller.poll();
    await verify();
    await elsewhere.keys.revoke(id);
    await here.poller.poll();
    expect(await verify()).toHaveProperty('code', 'api_key_revoked');
    expect((await here.audited()).map(({ action }) => action)).toEqual(['key.revoked']);
    expect(await lastRecord()).toBeGreaterThan(last);
  });

  it('an instance that starts then notices the first change', async () => {
    await deleteRecords();
    const late = await bench.open();
    await late.poller.poll();
    expect(await late.verifier.verify(key)).toHaveProperty('keyId', id);
    await elsewhere.keys.revoke(id);
    await late.poller.poll();
    expect(await late.verifier.verify(key)).toHaveProperty('code', 'api_key_revoked');
  });
});
