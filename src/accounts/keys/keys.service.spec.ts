import { describe, expect, it } from '@jest/globals';
import { collected } from '../../../test/support/collected.js';
import { shareAuth } from '../../../test/support/auth-service.js';
import { ApiKey } from '../../auth/keys/api-key.entity.js';
import { AuditRecord } from '../../auth/keys/audit-record.entity.js';
import { DEFAULT_SCOPES } from '../../auth/keys/scopes.js';
import { rfc3339 } from '../../platform/config/clock.js';
import type { NewKey } from './key-options.js';

const HOUR_MS = 3_600_000;
const ENTERPRISE = { account: 'big', plan: 'enterprise', perMinute: 500, perDay: 9_000 } as const;

const { bench, service } = shareAuth();

/** Does something, and returns what that adds to the audit trail. */
async function auditedBy(work: () => Promise<unknown>) {
  const { length } = await service.audited();
  await work();
  return (await service.audited()).slice(length);
}

/** What the newest audit record tells. */
async function lastDetail(): Promise<unknown> {
  const [last] = await service.database.manager.find(AuditRecord, { order: { id: 'DESC' }, take: 1 });
  return JSON.parse(last?.detail ?? '');
}

describe('createKey', () => {
  it('gives each scope once', async () => {
    expect(await service.issue({ scopes: ['pets:read', 'pets:read'] })).toHaveProperty('scopes', ['pets:read']);
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
      await service.issue({ account: 'undone' });
      throw new Error('changed my mind');
    });
    expect(await auditedBy(() => expect(write).rejects.toThrow('changed my mind'))).toEqual([]);
    expect((await collected(service.keys.listKeys())).map(({ account }) => account)).not.toContain('undone');
  });

  it.each([
    ['enterprise without numbers', { account: 'big', plan: 'enterprise' }, 'requires both'],
    ['enterprise with one number', { ...ENTERPRISE, perDay: undefined }, 'requires both'],
    ['enterprise with a day below its minute', { ...ENTERPRISE, perDay: 499 }, 'not be below'],
    ['enterprise with zero', { ...ENTERPRISE, perMinute: 0 }, 'integers from 1'],
    ['enterprise with a fraction', { ...ENTERPRISE, perMinute: 1.5 }, 'integers from 1'],
    ['enterprise with more than can be', { ...ENTERPRISE, perDay: 1_000_000_001 }, 'integers from 1'],
    ['another plan with numbers', { account: 'big', perMinute: 5, perDay: 10 }, 'fixed limits'],
    ['no name', { account: '' }, '1 to 100 printable'],
    ['a long name', { account: 'x'.repeat(101) }, '1 to 100 printable'],
    ['a name with a control character', { account: 'a\u001b[2Jb' }, '1 to 100 printable'],
    ['a name with a space at its end', { account: 'acme ' }, 'without leading or trailing spaces'],
    ['an invisible name of a key', { name: '\u200b' }, 'at least one of them visible'],
    ['a name of a key that reorders a line', { name: 'a\u202eb' }, 'bidirectional controls'],
    ['no scope', { scopes: [] }, 'at least one scope'],
    ['what is no scope', { scopes: ['pets:read"'] }, 'is not a scope'],
    ['no lifetime', { expiresInMs: 0 }, 'lifetime must be above zero'],
  ] as [string, Partial<NewKey>, string][])('refuses %s and stores nothing', async (_, newKey, message) => {
    expect(await auditedBy(() => expect(service.issue(newKey)).rejects.toThrow(message))).toEqual([]);
  });

  it('accepts equal limits per minute and day, up to 1,000,000,000', async () => {
    const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };
    const { key } = await service.issue({ ...ENTERPRISE, account: 'biggest', ...limits });
    expect(await service.verifier.verify(key)).toHaveProperty('limits', limits);
  });

  it('accepts any printable name of up to 100 characters', async () => {
    const account = `Zoë & 犬 🐕 ${'x'.repeat(90)}`;
    expect(await service.issue({ account })).toHaveProperty('account', account);
  });
});

describe('rotate', () => {
  it('is recorded with what both keys are given', async () => {
    const old = await service.issue({ name: 'Reader', scopes: ['pets:read'], expiresInMs: HOUR_MS });
    const expiresAt = bench.clock.nowMs() + HOUR_MS;
    const granted = { name: 'Reader', scopes: ['pets:read'], lifetimeMs: HOUR_MS, expiresAt };
    expect(await lastDetail()).toEqual({ ...granted, masked: old.masked });
    const next = await service.keys.rotate(old.id, 60_000);
    expect(await lastDetail()).toEqual({ successor: next.id, expiresAt: bench.clock.nowMs() + 60_000 });
  });

  it('never extends the old key, and gives the successor the original lifetime', async () => {
    const old = await service.issue({ expiresInMs: 10 * HOUR_MS });
    bench.clock.advanceMs(9 * HOUR_MS);
    const next = await service.keys.rotate(old.id, 24 * HOUR_MS);
    expect(next.replacedExpiresAt).toBe(old.expiresAt);
    expect(next.expiresAt).toBe(rfc3339(bench.clock.nowMs() + 10 * HOUR_MS));
  });

  it('refuses an invalid overlap', async () => {
    const { id } = await service.issue();
    const refused = () => expect(service.keys.rotate(id, -1)).rejects.toThrow('overlap must be zero or more');
    expect(await auditedBy(refused)).toEqual([]);
  });
});

describe('change', () => {
  it('replaces scopes from the next request on', async () => {
    const { id, key } = await service.issue({ scopes: ['pets:read'] });
    await service.verifier.verify(key);
    const changed = await service.keys.change(id, { scopes: ['pets:write', 'keys:manage', 'pets:write'] });
    expect(changed).toMatchObject({ id, scopes: ['pets:write', 'keys:manage'] });
    expect(await service.verifier.verify(key)).toHaveProperty('scopes', new Set(['pets:write', 'keys:manage']));
    expect((await service.audited()).at(-1)).toEqual(bench.record('key.scopes_changed', id));
    expect(await lastDetail()).toEqual({ from: ['pets:read'], to: ['pets:write', 'keys:manage'] });
  });

  it.each([
    [[], 'at least one scope'],
    [['pets:read', ''], 'is not a scope'],
    [['pets'], 'is not a scope'],
  ])('refuses the scopes %j and changes nothing', async (scopes, message) => {
    const { id } = await service.issue();
    const refused = () => expect(service.keys.change(id, { scopes })).rejects.toThrow(message);
    expect(await auditedBy(refused)).toEqual([]);
    expect(await service.keys.showKey(id)).toHaveProperty('scopes', [...DEFAULT_SCOPES]);
  });
});

it('changePlan applies from the next request on, and clears the custom limits of Enterprise with another plan', async () => {
  const account = 'growing';
  const { key } = await service.issue({ account });
  await service.verifier.verify(key);
  const custom = { perMinute: 7, perDay: 70 };
  const limits = await service.accounts.changePlan(account, 'enterprise', custom);
  expect(limits).toEqual(custom);
  expect((await service.audited()).at(-1)).toEqual(bench.record('account.plan_changed', null));
  const pro = { plan: 'pro', perMinute: null, perDay: null };
  expect(await lastDetail()).toEqual({ from: pro, to: { plan: 'enterprise', ...custom } });
  expect(await service.verifier.verify(key)).toMatchObject({ plan: 'enterprise', limits });
  await service.accounts.changePlan(account, 'free', {});
  const free = { plan: 'free', limits: { perMinute: 60, perDay: 1_000 } };
  expect(await service.verifier.verify(key)).toMatchObject(free);
  await expect(service.accounts.changePlan(account, 'enterprise', {})).rejects.toThrow('requires both');
});

it('unban refuses a revoked key', async () => {
  const { id } = await service.issue();
  await service.keys.revoke(id);
  await expect(service.keys.unban(id)).rejects.toThrow('was revoked');
});
