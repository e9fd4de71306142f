import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import type { NewKey } from '../../src/accounts/keys/key-options.js';
import { KeyChangesPoller } from '../../src/auth/authentication/key-changes.poller.js';
import { FakeClock, startApp, type TestApp } from '../support/app.js';
import { queryDatabase } from '../support/databases.js';
import { errorOf } from '../support/expectations.js';
import { codeOf } from '../support/keys-api.js';

const DAY_MS = 86_400_000;

const clock = new FakeClock(Date.parse('2026-11-21T12:00:00Z'));
let service: TestApp;
/** Another instance on the same database. */
let other: TestApp;

beforeAll(async () => {
  service = await startApp({ clock });
  other = await startApp({ clock, folder: service.folder });
});
afterAll(async () => {
  await other.stop({ keepData: true });
  await service.stop();
});

const operator = () => service.app.get(KeysService);
const given = (options: Partial<NewKey> = {}) =>
  operator().createKey({ account: 'shop', plan: 'business', scopes: ['keys:manage', 'pets:read'], ...options });
const isoOf = (timeMs: number) => new Date(timeMs).toISOString();
const prune = () => queryDatabase(service.folder, 'DELETE FROM audit_records');
const audited = () =>
  queryDatabase<{ id: number; action: string }>(service.folder, 'SELECT id, action FROM audit_records ORDER BY id');
const rotate = (as: string, id: string) => service.post(`/v1/keys/${id}/rotate`, as, '{}');

describe('without its audit records, a key', () => {
  it('is rotated once over HTTP, with its full lifetime', async () => {
    const manager = await given();
    const old = await given({ expiresInMs: 90 * DAY_MS });
    await prune();
    clock.advanceMs(DAY_MS);
    const response = await rotate(manager.key, old.id);
    expect(response.status).toBe(201);
    const successor = (await response.json()) as { id: string; expiresAt: string };
    expect(Date.parse(successor.expiresAt)).toBe(clock.nowMs() + 90 * DAY_MS);
    await prune();
    const refusal = { code: 'api_key_retired', message: expect.stringContaining(`Rotate ${successor.id}`) };
    expect(await errorOf(await rotate(manager.key, old.id))).toMatchObject(refusal);
  });

  it('is rotated any number of times on the command line, with its full lifetime', async () => {
    const old = await given({ expiresInMs: 90 * DAY_MS });
    const endless = await given();
    for (let rotations = 0; rotations < 2; rotations += 1) {
      clock.advanceMs(DAY_MS);
      await prune();
      expect(await operator().rotate(old.id, DAY_MS)).toHaveProperty('expiresAt', isoOf(clock.nowMs() + 90 * DAY_MS));
      expect(await operator().rotate(endless.id, DAY_MS)).not.toHaveProperty('expiresAt');
    }
  });

  it('can be created, listed, unbanned, changed and revoked', async () => {
    const manager = await given();
    await prune();
    const created = await service.post('/v1/keys', manager.key, '{"scopes":["pets:read"]}');
    expect(created.status).toBe(201);
    const { id, key } = (await created.json()) as { id: string; key: string };
    await prune();
    expect((await service.request(`/v1/keys/${id}`, { key: manager.key })).status).toBe(200);
    expect((await operator().listKeys()).map((listed) => listed.id)).toContain(id);
    await operator().unban(id);
    await operator().change(id, { scopes: ['pets:read', 'pets:write'] });
    await operator().changePlan('shop', 'pro', {});
    await prune();
    expect((await service.request('/v1/pets', { key })).headers.get('x-ratelimit-limit')).toBe('300');
    await operator().changePlan('shop', 'business', {});
    expect((await service.request(`/v1/keys/${id}`, { key: manager.key, method: 'DELETE' })).status).toBe(204);
    await prune();
    expect(await codeOf(service, key)).toBe('api_key_revoked');
    expect(await operator().revoke(id)).toBe(false);
  });

  it('survives a restart', async () => {
    const { id, key } = await given({ expiresInMs: 90 * DAY_MS });
    await prune();
    const again = await startApp({ clock, folder: service.folder });
    const code = await codeOf(again, key);
    const { expiresAt } = await again.app.get(KeysService).rotate(id, 0);
    await again.stop({ keepData: true });
    expect([code, expiresAt]).toEqual(['ok', isoOf(clock.nowMs() + 90 * DAY_MS)]);
  });
});

describe('an instance whose audit records were all deleted', () => {
  it('notices the next change at its next poll', async () => {
    const { id, key } = await given();
    expect(await codeOf(other, key)).toBe('ok');
    await other.app.get(KeyChangesPoller).poll();
    const last = Number((await audited()).at(-1)?.id);
    await prune();
    await other.app.get(KeyChangesPoller).poll();
    await operator().revoke(id);
    await other.app.get(KeyChangesPoller).poll();
    expect(await codeOf(other, key)).toBe('api_key_revoked');
    const records = await audited();
    expect(records.map(({ action }) => action)).toEqual(['key.revoked']);
    expect(Number(records[0]?.id)).toBeGreaterThan(last);
  });

  it('notices the first change after a start without records', async () => {
    const { id, key } = await given();
    await prune();
    const late = await startApp({ clock, folder: service.folder });
    try {
      expect(await codeOf(late, key)).toBe('ok');
      await operator().revoke(id);
      await late.app.get(KeyChangesPoller).poll();
      expect(await codeOf(late, key)).toBe('api_key_revoked');
    } finally {
      await late.stop({ keepData: true });
    }
  });
});
