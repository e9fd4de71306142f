import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Database } from '../../src/database/database.js';
import { ApiError } from '../../src/http/errors/api-error.js';
import { PetsService } from '../../src/pets/index.js';
import { OldUsageDeletion, UsageRecorder } from '../../src/rate-limit/history/usage-history.js';
import { errorOf } from '../support/expectations.js';
import { HistoryClient } from '../support/history-client.js';
import { ask } from '../support/http.js';
import { until } from '../support/until.js';

const HOUR = '2026-11-21T12:00:00.000Z';
const DAY = '2026-11-21T00:00:00.000Z';
/** Where the history begins. */
const OLDEST = '2026-10-22T00:00:00.000Z';
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

const account = new HistoryClient();
const { call, items, history } = account;

beforeAll(account.start);
beforeEach(account.reset);
afterAll(() => account.service.stop());

/** Counts a request without sending it. */
function count(accountId: number, keyId: string, outcome: 'admitted' | 'limited'): void {
  type Arguments = Parameters<UsageRecorder['count']>;
  const request = { routeOptions: { config: { operation: 'listPets' } } } as Arguments[1];
  account.recorder.count({ accountId, keyId } as Arguments[0], request, outcome);
}

describe('getUsageHistory', () => {
  it('returns the requests of the last 30 UTC days by default, and of the last 24 hours by hour', async () => {
    const [from, to] = ['2026-10-23T00:00:00.000Z', '2026-11-22T00:00:00.000Z'];
    expect(await history()).toEqual({ from, to, interval: 'day', items: [] });
    await call(2);
    account.clock.advanceSeconds(3_600);
    await call(1);
    expect(await items()).toEqual([{ start: DAY, requests: 3 }]);
    expect(await history('?interval=hour')).toEqual({
      from: '2026-11-20T14:00:00.000Z',
      to: '2026-11-21T14:00:00.000Z',
      interval: 'hour',
      items: [
        { start: HOUR, requests: 2 },
        { start: '2026-11-21T13:00:00.000Z', requests: 1 },
      ],
    });
    account.clock.advanceSeconds(86_400);
    await call(1);
    expect(await items()).toEqual([
      { start: DAY, requests: 3 },
      { start: '2026-11-22T00:00:00.000Z', requests: 1 },
    ]);
    expect((await account.getHistory()).headers.get('cache-control')).toBe('no-store');
  });

  it('rounds a range to whole intervals, in any time zone', async () => {
    await call(1);
    expect(await history('?interval=hour&from=2026-11-21T12:59:59Z&to=2026-11-21t14:00:00.5%2B01:00')).toEqual({
      from: HOUR,
      to: '2026-11-21T14:00:00.000Z',
      interval: 'hour',
      items: [{ start: HOUR, requests: 1 }],
    });
    expect(await items('?interval=hour&to=2026-11-21T12:00:00Z')).toEqual([]);
    account.clock.advanceSeconds(3_600);
    expect(await items('?interval=hour&from=2026-11-21T13:00:00Z&to=2026-11-21T14:00:00Z')).toEqual([]);
  });

  it('splits intervals by key, by operation and by outcome', async () => {
    const second = await account.issue(account.owner.account);
    await call(2);
    await call(1, second);
    await call(1, account.owner, '/v1/pets/404');
    await call(1, account.owner, '/v1/nowhere');
    await ask(account.service.port, { method: 'DELETE', path: '/v1/usage', key: account.owner.key });
    const byKey = [
      { start: DAY, requests: 5, key: account.owner.id },
      { start: DAY, requests: 1, key: second.id },
    ];
    expect(await items('?by=key')).toEqual(byKey.toSorted((a, b) => (a.key < b.key ? -1 : 1)));
    expect(await items('?by=operation')).toEqual([
      { start: DAY, requests: 1, operation: 'getPet' },
      { start: DAY, requests: 3, operation: 'listPets' },
      { start: DAY, requests: 2, operation: 'unmatched' },
    ]);
    expect(await items('?by=outcome&interval=hour')).toEqual([
      { start: HOUR, requests: 3, outcome: 'admitted' },
      { start: HOUR, requests: 3, outcome: 'client_error' },
    ]);
  });

  it('tells limited, banned and failed requests apart', async () => {
    const poor = await account.issue('poor', 2);
    // Two requests are admitted, one is limited, and the second refusal bans the key.
    await call(5, poor);
    expect(await items('?by=outcome', poor)).toEqual([
      { start: DAY, requests: 2, outcome: 'admitted' },
      { start: DAY, requests: 2, outcome: 'banned' },
      { start: DAY, requests: 1, outcome: 'limited' },
    ]);
    expect(await items('?by=operation', poor)).toEqual([{ start: DAY, requests: 5, operation: 'listPets' }]);
    jest.spyOn(account.service.app.get(PetsService), 'list').mockRejectedValueOnce(new Error('on purpose'));
    await call(1, account.owner, '/v1/pets?limit=7');
    expect(await items('?by=outcome')).toEqual([{ start: DAY, requests: 1, outcome: 'server_error' }]);
    // As by a limit of the operation.
    const limited = new ApiError('rate_limit_exceeded', 'on purpose');
    jest.spyOn(account.service.app.get(PetsService), 'list').mockRejectedValueOnce(limited);
    await call(1, account.owner, '/v1/pets?limit=8');
    expect((await items('?by=outcome'))[0]).toEqual({ start: DAY, requests: 1, outcome: 'limited' });
  });

  it('has neither requests without a valid key, nor those to operations without quota, nor those of others', async () => {
    await call(1, await account.issue('other'));
    await ask(account.service.port, { path: '/v1/pets' });
    await ask(account.service.port, { path: '/v1/pets', key: 'psk_live_nonsense' });
    await call(2, account.owner, '/v1/usage');
    await history();
    expect(await items()).toEqual([]);
    expect(await account.rows()).toEqual([1]);
  });

  it('uses no quota, and can be called 60 times a minute', async () => {
    for (let n = 0; n < 60; n += 1) await history();
    const message = expect.stringContaining('60 requests per minute for this operation');
    expect(await errorOf(await account.getHistory())).toMatchObject({ status: 429, message });
    const { body } = await account.service.json('/v1/usage', { key: account.owner });
    expect(body).toMatchObject({ minute: { remaining: 1_000 } });
  });

  it.each([
    ...[
      '2026-11-21',
      '2026-11-24T00:00:00',
      '2026-11-31T00:00:00Z',
      '9999-12-31T23:59:59-23:59',
      '2026-11-21T00:00:00+01:00',
    ].map((time): [string, string] => [
      `?to=${time}`,
      'to must be an RFC 3339 date-time such as 2026-11-24T00:00:00Z, with + written as %2B.',
    ]),
    ['?interval=week', 'interval must be one of hour, day.'],
    ['?by=pet', 'by must be one of key, operation, outcome.'],
    ['?from=2026-10-21T23:59:59Z', `from must not be before ${OLDEST}, where the history begins.`],
    ['?from=2026-11-21T00:00:00Z&to=2026-11-21T00:00:00Z', 'from must be before to.'],
    ['?from=2026-11-21T08:00:00Z&to=2026-11-21T07:00:00Z', 'from must be before to.'],
    ['?from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59Z', 'from must not be in the future.'],
    ['?to=9999-12-31T23:59:59Z', 'from, which is before to if it is not sent, must not be in the future.'],
    ['?to=2026-10-01T00:00:00Z', `to must be after ${OLDEST}, where the history begins.`],
    [
      '?interval=hour&from=2026-11-14T00:00:00Z',
      'from and to must be at most 7 days apart, in whole hours, if interval is hour.',
    ],
    [
      '?from=2026-10-22T00:00:00Z&to=2026-11-22T00:00:01Z',
      'from and to must be at most 31 days apart, in whole days, if interval is day.',
    ],
  ])('refuses %s, and says why', async (query, message) => {
    const response = await account.getHistory(query);
    expect(await response.json()).toEqual({ code: 'validation_failed', status: 400, message });
  });

  it('returns the whole history that is kept', async () => {
    await account.insert([`(${account.accountId}, ${Date.parse(OLDEST) / 1000}, 'key', 'listPets', 'admitted', 3)`]);
    await call(1);
    expect(await history('?from=2026-10-22T00:00:00Z')).toEqual({
      from: OLDEST,
      to: '2026-11-22T00:00:00.000Z',
      interval: 'day',
      items: [
        { start: OLDEST, requests: 3 },
        { start: DAY, requests: 1 },
      ],
    });
  });

  it('refuses to return more than 20,000 items', async () => {
    const before = `(${account.accountId}, ${Date.parse(HOUR) / 1000}`;
    const values = Array.from({ length: 20_001 }, (_, n) => `${before}, 'key_${n}', 'x', 'y', 1)`);
    await account.insert(values.slice(1));
    expect(await items('?by=key')).toHaveLength(20_000);
    await account.insert(values.slice(0, 1));
    const message = 'from and to must be closer together: the response would exceed 20000 items.';
    expect(await errorOf(await account.getHistory('?by=key'))).toMatchObject({ status: 400, message });
    expect(await items('?by=operation')).toEqual([{ start: DAY, requests: 20_001, operation: 'x' }]);
  });
});

/** Before the identifiers of other accounts. */
const OTHERS = 1_000_000;

/** Creates other accounts, because only those that exist have a history. */
const createOthers = (most: number) =>
  account.service.app.get(Database).query(`
    INSERT INTO "accounts" ("id", "name", "plan", "created_at")
    WITH RECURSIVE "new" ("id") AS (SELECT ${OTHERS} UNION ALL SELECT "id" + 1 FROM "new" WHERE "id" < ${OTHERS + most})
    SELECT "id", CAST("id" AS TEXT), 'free', 0 FROM "new" WHERE TRUE ON CONFLICT DO NOTHING`);

describe('the record of requests', () => {
  it('is written every second, and when the service stops, and continued after its start', async () => {
    account.recorder.start();
    await call(3);
    await until(async () => (await account.rows())[0] === 3);
    await call(1);
    await account.restart();
    await call(2);
    expect(await items()).toEqual([{ start: DAY, requests: 6 }]);
  });

  it('includes what is counted during a write', async () => {
    await call(2);
    const writing = account.recorder.tryRun();
    count(account.accountId, account.owner.id, 'admitted');
    await writing;
    expect(await items()).toEqual([{ start: DAY, requests: 3 }]);
  });

  it('has at most 200 rows of an account and an hour, and one more for each outcome', async () => {
    for (let n = 0; n < 300; n += 1) count(account.accountId, `key_${n}`, 'admitted');
    await account.recorder.tryRun();
    for (let n = 0; n < 300; n += 1) count(account.accountId, `key_${n}`, 'limited');
    await createOthers(1);
    count(OTHERS, 'another', 'limited');
    const byKey = await items('?by=key');
    expect(byKey).toHaveLength(201);
    expect(byKey.at(-1)).toEqual({ start: DAY, requests: 400, key: 'other' });
    expect(await items('?by=operation')).toEqual([
      { start: DAY, requests: 200, operation: 'listPets' },
      { start: DAY, requests: 400, operation: 'other' },
    ]);
    expect(await account.rows()).toHaveLength(203);
    account.clock.advanceSeconds(HOUR_SECONDS);
    count(account.accountId, 'new', 'admitted');
    expect((await items('?by=key&interval=hour')).at(-1)).toMatchObject({ requests: 1, key: 'new' });
  });

  it('takes a bounded amount of memory', async () => {
    await createOthers(100_010);
    for (let n = 1; n <= 100_010; n += 1) count(OTHERS + n, 'key', 'admitted');
    await account.recorder.tryRun();
    expect(await account.rows()).toHaveLength(100_000);
    count(OTHERS + 100_010, 'key', 'admitted');
    count(OTHERS + 1, 'key', 'admitted');
    await account.recorder.tryRun();
    const rows = await account.rows();
    expect([rows.length, rows.filter((requests) => requests === 2)]).toEqual([100_001, [2]]);
  });

  it('is deleted after today and 30 days, in batches', async () => {
    await call(1);
    await account.recorder.tryRun();
    const oldest = (Math.floor(account.clock.nowSeconds() / DAY_SECONDS) - 30) * DAY_SECONDS;
    await account.insert(
      Array.from({ length: 2_500 }, (_, n) => `(7, ${oldest - n * HOUR_SECONDS}, 'key', 'x', 'admitted', 1)`),
    );
    // Nothing is deleted in the first hour.
    account.clock.advanceSeconds(HOUR_SECONDS);
    await account.service.app.get(OldUsageDeletion).run();
    expect(await account.rows()).toHaveLength(2);
  });
});
