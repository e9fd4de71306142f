// @postgres: an idle database of a cloud is paused.
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it, jest } from '@jest/globals';
import { StatementObserver } from '../../src/database/statement-observer.js';
import { LastUsedTracker } from '../../src/auth/authentication/last-used-tracker.js';
import { CounterPersistence } from '../../src/rate-limit/persistence/counter-persistence.js';
import { UsageRecorder } from '../../src/rate-limit/history/usage-history.js';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { startApp } from '../support/app.js';
import { service, shareApp } from '../support/folders.js';

shareApp();
afterEach(() => void jest.restoreAllMocks());

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
