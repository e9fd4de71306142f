import { Agent } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Module, UseGuards } from '@nestjs/common';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { parseList, serializeList } from 'structured-headers';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import { FakeClock, startApp, trio } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { type Ask, ask, concurrently, JSON_TYPE } from '../support/http.js';

const START = '2026-11-21T12:00:00.250Z';
const NOON = Date.parse('2026-11-21T12:00:00Z') / 1000;
const MIDNIGHT = Date.parse('2026-11-22T00:00:00Z') / 1000;

const clock = new FakeClock();
sharePreparedApp({ clock });
beforeEach(() => clock.set(START));

let accounts = 0;
const newAccount = () => `terms ${(accounts += 1)}`;
const enterprise = (perMinute: number, perDay: number, account = newAccount()) =>
  service.key({ account, plan: 'enterprise', perMinute, perDay });
const list = (key: string) => ask(service.port, { path: '/v1/pets?limit=1', key });
const changePlan = (...change: Parameters<AccountsService['changePlan']>) =>
  service.app.get(AccountsService).changePlan(...change);

/** Status, the trio, and Retry-After, of a request at a time of the fake clock. */
async function at(iso: string, key: string): Promise<unknown[]> {
  clock.set(iso);
  const response = await list(key);
  const { limit, remaining, reset } = trio(response);
  return [response.status, limit, remaining, reset, response.headers.get('retry-after')];
}

/** A field that is a list by the rules of RFC 9651. */
const listIn = ({ headers }: Response, name: string) => serializeList(parseList(headers.get(name) ?? ''));

/** One of each kind of answer that counts. */
const MIX: Ask[] = [
  { path: '/v1/pets?limit=1' },
  { path: '/v1/pets/1' },
  { method: 'POST', path: '/v1/pets', headers: JSON_TYPE, body: '{"name":"x","categoryId":1}' },
  { path: '/v1/nothing' },
  { method: 'DELETE', path: '/v1/pets' },
  { method: 'POST', path: '/v1/pets', headers: JSON_TYPE, body: '{"name":' },
  { method: 'HEAD', path: '/v1/pets' },
  { method: 'OPTIONS', path: '/v1/pets' },
];

describe('a plan', () => {
  it.each([
    ['free', 60, 1_000],
    ['pro', 300, 10_000],
    ['business', 1_000, 100_000],
  ] as const)('%s has %i requests per minute and %i per day', async (plan, perMinute, perDay) => {
    const key = await service.key({ plan });
    expect(trio(await list(key))).toEqual({ limit: perMinute, remaining: perMinute - 1, reset: NOON + 60 });
    expect(await (await service.request('/v1/usage', { key })).json()).toMatchObject({
      minute: { limit: perMinute, remaining: perMinute - 1 },
      day: { limit: perDay, remaining: perDay - 1 },
    });
  });

  it('admits exactly its limit of many concurrent requests to any path, and shows each remaining number once', async () => {
    const key = await service.key({ plan: 'free' });
    const agent = new Agent({ keepAlive: true, maxSockets: 32 });
    const requests = Array.from(
      { length: 90 },
      (_, index) => () => ask(service.port, { ...(MIX[index % MIX.length] as Ask), key }, agent),
    );
    const responses = await concurrently(requests, 32);
    agent.destroy();
    const admitted = responses.filter(({ status }) => status !== 429).map(trio);
    const refused = responses.filter(({ status }) => status === 429).map(trio);
    expect(admitted.toSorted((a, b) => Number(a.remaining) - Number(b.remaining))).toEqual(
      Array.from({ length: 60 }, (_, remaining) => ({ limit: 60, remaining, reset: NOON + 60 })),
    );
    expect(refused).toEqual(Array.from({ length: 30 }, () => ({ limit: 60, remaining: 0, reset: NOON + 60 })));
  });

  it('that changes applies from the next request, and keeps the counts', async () => {
    const account = newAccount();
    const key = await service.key({ account, plan: 'free' });
    for (let n = 0; n < 60; n += 1) await list(key);
    expect((await list(key)).status).toBe(429);
    await changePlan(account, 'pro', {});
    const upgraded = await list(key);
    expect([upgraded.status, trio(upgraded)]).toEqual([200, { limit: 300, remaining: 239, reset: NOON + 60 }]);
    await changePlan(account, 'free', {});
    const downgraded = await list(key);
    expect([downgraded.status, trio(downgraded)]).toEqual([429, { limit: 60, remaining: 0, reset: NOON + 60 }]);
    await changePlan(account, 'enterprise', { perMinute: 70, perDay: 90 });
    expect(trio(await list(key))).toMatchObject({ limit: 70, remaining: 8 });
  });
});

it('the limit of operations without quota is that of the plan a minute if this has more than 300', async () => {
  const key = await enterprise(310, 1_000);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const usages = Array.from({ length: 311 }, () => () => ask(service.port, { path: '/v1/usage', key }, agent));
  const refused = (await concurrently(usages, 8)).filter(({ status }) => status !== 200);
  agent.destroy();
  expect(refused.map(trio)).toEqual([{ limit: 310, remaining: 0, reset: NOON + 60 }]);
});

describe('the quota of an account', () => {
  it('is shared by its keys, and by no other account', async () => {
    const account = newAccount();
    const [first, second] = [await enterprise(5, 50, account), await enterprise(5, 50, account)];
    const seen: [number, unknown][] = [];
    for (const key of [first, second, second, first, second, first, second]) {
      const response = await list(key);
      seen.push([response.status, trio(response).remaining]);
    }
    const admitted = [4, 3, 2, 1, 0].map((remaining) => [200, remaining]);
    expect(seen).toEqual([...admitted, [429, 0], [429, 0]]);
    expect(trio(await list(await enterprise(5, 50))).remaining).toBe(4);
  });

  it('is not used by health, metrics, documents and unknown paths outside the API', async () => {
    const key = await service.key({ plan: 'free' });
    await list(key);
    for (const path of ['/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json', '/nothing'])
      await ask(service.port, { path, key });
    expect(trio(await list(key)).remaining).toBe(58);
  });
});

// The rules have their own tests, beside the counters. Here, a response shows them.
describe('the windows', () => {
  it('of a minute begin on the second of the first request, and do not move', async () => {
    const key = await enterprise(5, 500);
    const end = NOON + 97;
    expect(await at('2026-11-21T12:00:37.900Z', key)).toEqual([200, 5, 4, end, null]);
    expect(await at('2026-11-21T12:01:36.999Z', key)).toEqual([200, 5, 3, end, null]);
    expect(await at('2026-11-21T12:01:37.000Z', key)).toEqual([200, 5, 4, end + 60, null]);
  });

  it('of a day are the UTC day, and are shown if they have fewer requests left', async () => {
    const key = await enterprise(5, 7);
    const minute = NOON + 60;
    expect(await at(START, key)).toEqual([200, 5, 4, minute, null]);
    for (const remaining of [3, 2, 1, 0])
      expect(await at('2026-11-21T12:00:01Z', key)).toEqual([200, 5, remaining, minute, null]);
    expect(await at('2026-11-21T12:00:58.001Z', key)).toEqual([429, 5, 0, minute, '2']);
    expect(await at('2026-11-21T12:00:59.999Z', key)).toEqual([429, 5, 0, minute, '1']);
    expect(await at('2026-11-21T12:01:00Z', key)).toEqual([200, 7, 1, MIDNIGHT, null]);
    expect(await at('2026-11-21T12:01:01Z', key)).toEqual([200, 7, 0, MIDNIGHT, null]);
    expect(await at('2026-11-21T12:01:02Z', key)).toEqual([429, 7, 0, MIDNIGHT, String(12 * 3600 - 62)]);
    expect(await at('2026-11-21T23:59:59.999Z', key)).toEqual([429, 7, 0, MIDNIGHT, '1']);
    expect(await at('2026-11-22T00:00:00.000Z', key)).toEqual([200, 5, 4, MIDNIGHT + 60, null]);
  });
});

it.each([
  ['the minute', 5, ['12:00:00', '12:00:00', '12:00:48'], 'per minute is exhausted. Retry after 12 seconds.'],
  // A window of a minute that ends before midnight leaves only the day.
  ['the day', 2, ['23:58:00', '23:59:00', '23:59:59'], 'per day is exhausted until 2026-11-22T00:00:00Z.'],
  ['the later of both', 2, ['23:59:30', '23:59:30', '23:59:40'], 'per minute is exhausted. Retry after 50 seconds.'],
])('a 429 names the window that is exhausted: %s', async (_, perDay, [first, second, third], end) => {
  const key = await enterprise(2, perDay);
  await at(`2026-11-21T${first}Z`, key);
  await at(`2026-11-21T${second}Z`, key);
  clock.set(`2026-11-21T${third}Z`);
  const response = await list(key);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const message = `The limit of 2 requests ${end}`;
  expect(await errorOf(response)).toEqual({ status: 429, code: 'rate_limit_exceeded', message });
});

describe('RateLimit and RateLimit-Policy', () => {
  it('show both windows of the plan, as the X-RateLimit headers show the tighter one', async () => {
    const key = await enterprise(3, 10);
    await list(key);
    clock.advanceSeconds(20);
    const response = await list(key);
    expect(listIn(response, 'ratelimit-policy')).toBe('"minute";q=3;w=60, "day";q=10;w=86400');
    const left = '"minute";r=1;t=40, "day";r=8;t=43180';
    expect(listIn(response, 'ratelimit')).toBe(left);
    expect(trio(response)).toEqual({ limit: 3, remaining: 1, reset: NOON + 60 });
    expect(listIn(await ask(service.port, { path: '/v1/usage', key }), 'ratelimit')).toBe(left);
  });

  it('show an exhausted window on 429, and the end of a ban', async () => {
    const key = await enterprise(3, 10);
    const shown = [];
    for (let count = 0; count < 6; count += 1) shown.push(listIn(await list(key), 'ratelimit'));
    const exhausted = '"minute";r=0;t=60, "day";r=7;t=43200';
    expect(shown.slice(3)).toEqual([exhausted, exhausted, exhausted]);
    clock.advanceSeconds(30);
    const banned = await list(key);
    expect(listIn(banned, 'ratelimit')).toBe('"minute";r=0;t=30, "day";r=7;t=43170');
    expect((await errorOf(banned)).code).toBe('api_key_banned');
  });

  it('show the limits of the address on 401', async () => {
    const response = await ask(service.port, { path: '/v1/pets' });
    expect(listIn(response, 'ratelimit-policy')).toBe('"minute";q=300;w=60, "day";q=10000;w=86400');
    expect(listIn(response, 'ratelimit')).toBe('"minute";r=299;t=60, "day";r=9999;t=43200');
  });
});

@UseGuards(ThrottlerGuard)
@Controller('throttled')
class Throttled {}

@Module({ imports: [ThrottlerModule.forRoot([{ ttl: 60_000, limit: 1 }])], controllers: [Throttled] })
class ThrottledModule {}

it('the guard of the throttler, which counts by address, is refused on a controller of an extension', async () => {
  const start = startApp({ extensions: [{ module: ThrottledModule }] });
  await expect(start).rejects.toThrow('ThrottlerGuard counts by address and replaces the rate-limit headers.');
});
