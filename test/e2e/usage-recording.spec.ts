import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Database } from '../../src/database/database.js';
import { OldUsageDeletion, UsageRecorder } from '../../src/rate-limit/history/usage-history.js';
import { startApp } from '../support/app.js';
import { onPostgres } from '../support/databases.js';
import { HistoryClient } from '../support/history-client.js';
import { ask } from '../support/http.js';
import { until } from '../support/until.js';

const HOUR = '2026-11-21T12:00:00.000Z';
const DAY = '2026-11-21T00:00:00.000Z';
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
/** Only on PostgreSQL can a database have several. */
const INSTANCES = onPostgres ? 2 : 1;

const account = new HistoryClient();

beforeEach(() => account.start());
afterEach(async () => {
  jest.restoreAllMocks();
  await account.service.stop();
});

/** Counts a request without sending it. */
function count(accountId: number, keyId: string, outcome: 'admitted' | 'limited'): void {
  type Arguments = Parameters<UsageRecorder['count']>;
  const request = { routeOptions: { config: { operation: 'listPets' } } } as Arguments[1];
  account.recorder.count({ accountId, keyId } as Arguments[0], request, outcome);
}

describe('the record of requests', () => {
  it('is written every second', async () => {
    await account.call(3);
    await until(async () => (await account.rows()).length === 1);
    expect(await account.rows()).toEqual([3]);
  });

  it('is written when the service stops, and continued after its start', async () => {
    await account.call(3);
    await account.restart();
    await account.call(2);
    expect(await account.items()).toEqual([{ start: DAY, requests: 5 }]);
  });

  it('keeps what could not be written, and adds it later', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    await account.call(2);
    const write = jest.spyOn(account.service.app.get(Database), 'write').mockRejectedValue(new Error('Disk full.'));
    await account.recorder.tryRun();
    await account.call(1);
    await account.recorder.tryRun();
    expect(await account.rows()).toEqual([]);
    account.clock.advanceSeconds(HOUR_SECONDS);
    await account.call(1);
    write.mockRestore();
    expect(await account.items('?interval=hour')).toEqual([
      { start: HOUR, requests: 3 },
      { start: '2026-11-21T13:00:00.000Z', requests: 1 },
    ]);
    expect(await account.items()).toEqual([{ start: DAY, requests: 4 }]);
  });

  it('includes what is counted during a write', async () => {
    await account.call(2);
    const writing = account.recorder.tryRun();
    count(1, account.owner.id, 'admitted');
    await writing;
    expect(await account.items()).toEqual([{ start: DAY, requests: 3 }]);
  });

  it('has at most 200 rows of an account and an hour, and one more for each outcome', async () => {
    for (let n = 0; n < 300; n += 1) count(1, `key_${n}`, 'admitted');
    await account.recorder.tryRun();
    for (let n = 0; n < 300; n += 1) count(1, `key_${n}`, 'limited');
    count(2, 'another', 'limited');
    const items = await account.items('?by=key');
    expect(items).toHaveLength(201);
    expect(items.at(-1)).toEqual({ start: DAY, requests: 400, key: 'other' });
    expect(await account.items('?by=operation')).toEqual([
      { start: DAY, requests: 200, operation: 'listPets' },
      { start: DAY, requests: 400, operation: 'other' },
    ]);
    expect(await account.rows()).toHaveLength(203);
    account.clock.advanceSeconds(HOUR_SECONDS);
    count(1, 'new', 'admitted');
    expect((await account.items('?by=key&interval=hour')).at(-1)).toMatchObject({ requests: 1, key: 'new' });
  });

  it('takes a bounded amount of memory', async () => {
    for (let id = 1; id <= 100_010; id += 1) count(id, 'key', 'admitted');
    await account.recorder.tryRun();
    expect(await account.rows()).toHaveLength(100_000);
    count(100_010, 'key', 'admitted');
    count(1, 'key', 'admitted');
    await account.recorder.tryRun();
    expect(await account.rows()).toHaveLength(100_001);
    expect(await account.items()).toEqual([{ start: DAY, requests: 2 }]);
  });

  it('is deleted after today and 30 days, in batches', async () => {
    await account.call(1);
    await account.recorder.tryRun();
    const nowSeconds = onPostgres ? Date.now() / 1_000 : account.clock.nowSeconds();
    const oldest = (Math.floor(nowSeconds / DAY_SECONDS) - 30) * DAY_SECONDS;
    await account.insert(
      Array.from({ length: 2_500 }, (_, n) => `(7, ${oldest - n * HOUR_SECONDS}, 'key', 'x', 'admitted', 1)`),
    );
    // On SQLite, nothing is deleted in the first hour.
    account.clock.advanceSeconds(HOUR_SECONDS);
    await account.service.app.get(OldUsageDeletion).run();
    expect(await account.rows()).toHaveLength(2);
  });

  it('adds up over instances, also while they write at the same time', async () => {
    const { clock, service, owner } = account;
    const more = Array.from({ length: INSTANCES - 1 }, () => startApp({ clock, folder: service.folder }));
    const others = await Promise.all(more);
    const paths = ['/v1/pets', '/v1/categories', '/v1/pets/404', '/v1/nowhere', '/v1/store/orders'];
    for (let round = 1; round <= 10; round += 1) {
      for (const path of paths) await ask(service.port, { path, key: owner.key });
      // In another order.
      for (const { port } of others) for (const path of paths.toReversed()) await ask(port, { path, key: owner.key });
      await Promise.all([service, ...others].map(({ app }) => app.get(UsageRecorder).run()));
    }
    expect(await account.items()).toEqual([{ start: DAY, requests: 50 * INSTANCES }]);
    expect(await account.rows()).toHaveLength(paths.length);
    for (const other of others) await other.stop({ keepData: true });
  });
});
