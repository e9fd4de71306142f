// @postgres: an idle database of a cloud is paused.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Account } from '../../src/auth/keys/account.entity.js';
import { Database } from '../../src/database/database.js';
import { WebhookDeliveries } from '../../src/webhooks/webhook-deliveries.js';
import { StatementObserver } from '../../src/database/statement-observer.js';
import { LastUsedTracker } from '../../src/auth/authentication/last-used-tracker.js';
import { CounterPersistence } from '../../src/rate-limit/persistence/counter-persistence.js';
import { UsageRecorder } from '../../src/rate-limit/history/usage-history.js';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { RecurringTask } from '../../src/platform/recurring-task.js';
import { startApp } from '../support/app.js';
import { databaseUrl } from '../support/databases.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { keys } from '../support/keys-command-line.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const receiver = new WebhookReceiver();
beforeAll(() => receiver.start());
afterAll(() => receiver.stop());
sharePreparedApp({ env: receiver.env });

/** Longer than the intervals of all tasks that look for something. */
const WATCHED_MS = 1_500;

it('an instance without requests sends nothing to its database', async () => {
  const { id, key } = await service.createKey();
  expect((await service.request('/v1/pets', { key })).status).toBe(200);
  // What the request left to write.
  for (const task of [LastUsedTracker, UsageRecorder, CounterPersistence])
    await service.app.get(task, { strict: false }).run();
  await delay(WATCHED_MS);
  const statements = jest.spyOn(StatementObserver.prototype, 'watch');
  await delay(WATCHED_MS);
  expect(statements.mock.calls.map(([sql]) => sql)).toEqual([]);
  // Another process revokes a key meanwhile: the first request afterwards is refused already.
  const other = await startApp({ folder: service.folder });
  await other.app.get(KeysService).revoke(id);
  await other.stop({ keepData: true });
  expect((await service.request('/v1/pets', { key })).status).toBe(401);
});

/** Leaves an event to an account that is suspended, until the instance rests. */
async function leaveEvent(account: string): Promise<string> {
  const scopes = ['webhooks:manage', 'pets:read'];
  const [key, owner] = [await service.key(), await service.key({ ...AMPLE, account, scopes })];
  const body = { url: `${receiver.address}/${account}`, types: ['pet.created'] };
  await service.json('/v1/webhooks', { key: owner, body });
  expect(await keys('suspend', account, '--reason', 'unpaid')).toMatchObject({ code: 0 });
  await delay(WATCHED_MS);
  await service.json('/v1/pets', { key, body: { name: 'Ada', categoryId: 1 } });
  await delay(WATCHED_MS);
  expect(receiver.at(`/${account}`)).toEqual([]);
  return key;
}

describe('an instance without requests', () => {
  it('runs tasks that rest again once readiness is checked', async () => {
    let runs = 0;
    const task = new RecurringTask('counting', 10, async () => void (runs += 1), { restsWhenIdle: () => true });
    await task.run();
    task.start();
    await delay(100);
    expect(runs).toBe(1);
    await service.request('/health/ready');
    await expect(until(() => runs === 2)).resolves.toBeUndefined();
    await task.stop();
  });

  it('delivers events of an account that a command resumes, once readiness is checked on PostgreSQL', async () => {
    await leaveEvent('first');
    expect(await keys('resume', 'first')).toMatchObject({ code: 0 });
    if (!databaseUrl(service.folder).startsWith('sqlite:')) await service.request('/health/ready');
    await expect(until(() => receiver.at('/first').length > 0)).resolves.toBeUndefined();
  });

  it('delivers events to a webhook that was enabled elsewhere just before its last request', async () => {
    const key = await leaveEvent('second');
    await service.app.get(WebhookDeliveries, { strict: false }).subscriptions();
    await service.app.get(Database).manager.update(Account, { name: 'second' }, { suspendedAt: null });
    await service.request('/v1/pets', { key });
    await expect(until(() => receiver.at('/second').length > 0)).resolves.toBeUndefined();
  });
});
