import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '../../src/auth/caller.js';
import { MemoryCounterStore } from '../../src/rate-limit/memory/memory-counter-store.js';
import { CounterPersistence } from '../../src/rate-limit/persistence/counter-persistence.js';
import { startApp, type TestApp } from '../support/app.js';
import { queryDatabase } from '../support/databases.js';

const ACCOUNTS = Array.from({ length: 200 }, (_, index) => index + 1);

function callerOf(accountId: number): Caller {
  const limits = { perMinute: 100, perDay: 1_000 };
  const keyId = `key ${accountId}`;
  return { keyId, accountId, account: 'a', plan: 'enterprise', limits, scopes: new Set(), bansLiftedAtMs: 0 };
}

describe('the counters of several instances without Redis', () => {
  let services: TestApp[];

  beforeAll(async () => {
    const first = await startApp();
    services = [first, await startApp({ folder: first.folder })];
  });
  afterAll(async () => {
    for (const [index, service] of services.toReversed().entries()) await service.stop({ keepData: index === 0 });
  });

  it('are written at once, in whatever order they changed', async () => {
    for (let round = 0; round < 20; round++) {
      for (const [index, { app }] of services.entries()) {
        const store = app.get(MemoryCounterStore);
        // In turn, one instance removes what the other one changes.
        if (round % 4 === index) store.clearKeys();
        for (const id of index === 0 ? ACCOUNTS : ACCOUNTS.toReversed()) store.admit(callerOf(id));
      }
      await Promise.all(services.map(({ app }) => app.get(CounterPersistence).run()));
    }
    const sql = `SELECT "subject" FROM "usage_windows" WHERE "subject" LIKE 'key:%'`;
    expect(await queryDatabase(services[0]?.folder ?? '', sql)).toHaveLength(ACCOUNTS.length);
  });
});
