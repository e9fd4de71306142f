import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LastUsedTracker } from '../../src/auth/authentication/last-used-tracker.js';
import type { Caller } from '../../src/auth/caller.js';
import { UsageRecorder } from '../../src/rate-limit/history/usage-history.js';
import { MemoryCounterStore } from '../../src/rate-limit/memory/memory-counter-store.js';
import { CounterPersistence } from '../../src/rate-limit/persistence/counter-persistence.js';
import type { RecurringTask } from '../../src/platform/recurring-task.js';
import { startApp, type TestApp } from '../support/app.js';
import { callerOf } from '../support/callers.js';
import { queryDatabase } from '../support/databases.js';

const ROUNDS = 20;
const ACCOUNTS = Array.from({ length: 200 }, (_, index) => index + 1);

const callerFor = (accountId: number) =>
  callerOf({ keyId: `key ${accountId}`, accountId, limits: { perMinute: 100, perDay: 1_000 } });

/** An admitted request of a caller, at a time in Unix milliseconds. */
function use({ app }: TestApp, caller: Caller, atMs: number): void {
  type Arguments = Parameters<UsageRecorder['count']>;
  const request = { routeOptions: { config: { operation: 'listPets' } } } as Arguments[1];
  app.get(MemoryCounterStore).admit(caller);
  app.get(UsageRecorder).count(caller, request, 'admitted');
  app.get(LastUsedTracker).uses.add(caller.keyId, atMs);
}

describe('counters, usage history and last uses of several instances without Redis', () => {
  let services: TestApp[];

  beforeAll(async () => {
    const first = await startApp();
    services = [first, await startApp({ folder: first.folder })];
    await first.key();
    // The key has made the first one. Nothing is written of an account that does not exist.
    const accounts = ACCOUNTS.slice(1).map((id) => `(${id}, 'account ${id} of many', 'business', 0)`);
    await queryDatabase(
      first.folder,
      `INSERT INTO "accounts" ("id", "name", "plan", "created_at") VALUES ${accounts.join()}`,
    );
    const rows = ACCOUNTS.map((id) => `('key ${id}', 1, 'hash ${id}', '', '', 0)`);
    const columns = '"id", "account_id", "sha256", "masked", "scopes", "created_at"';
    await queryDatabase(first.folder, `INSERT INTO "api_keys" (${columns}) VALUES ${rows.join()}`);
  });
  afterAll(async () => {
    for (const [index, service] of services.toReversed().entries()) await service.stop({ keepData: index === 0 });
  });

  it('are written at once, in whatever order they changed', async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      for (const [index, service] of services.entries()) {
        // In turn, one instance removes what the other one changes.
        if (round % 4 === index) service.app.get(MemoryCounterStore).clearKeys();
        const accounts = index === 0 ? ACCOUNTS : ACCOUNTS.toReversed();
        for (const id of accounts) use(service, callerFor(id), round * 100_000 + (id % 10) * 1_000);
      }
      const tasks = [CounterPersistence, UsageRecorder, LastUsedTracker];
      await Promise.all(services.flatMap(({ app }) => tasks.map((task) => app.get<RecurringTask>(task).run())));
    }
    const { folder = '' } = services[0] ?? {};
    const counters = await queryDatabase(folder, `SELECT "subject" FROM "usage_windows" WHERE "subject" LIKE 'key:%'`);
    expect(counters).toHaveLength(ACCOUNTS.length);
    const history = await queryDatabase<{ requests: number }>(folder, 'SELECT "requests" FROM "usage_history"');
    const requests = history.reduce((sum, row) => sum + Number(row.requests), 0);
    expect(requests).toBe(ROUNDS * services.length * ACCOUNTS.length);
    const uses = await queryDatabase(folder, `SELECT "id" FROM "api_keys" WHERE "last_used_at" >= ${ROUNDS * 100_000}`);
    expect(uses).toHaveLength(ACCOUNTS.length);
  });
});
