import { beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { LastUsedTracker } from '../../src/auth/authentication/last-used-tracker.js';
import { ApiKey } from '../../src/auth/keys/api-key.entity.js';
import { DEFAULT_SCOPES } from '../../src/auth/keys/scopes.js';
import { Database } from '../../src/database/database.js';
import { Deprecated } from '../../src/lifecycle/deprecation.interceptor.js';
import { Operation } from '../../src/openapi/operation.decorator.js';
import { FakeClock, trio } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { ask } from '../support/http.js';
import { operationsOf } from '../support/operations.js';

const PER_MINUTE = 3;

const operation = operationsOf('pets:read', 'The news');

@Controller('news')
class NewsController {
  @Get()
  @Operation(operation('readNews', { quota: 'none' }))
  @Deprecated({
    since: '2026-11-21',
    sunset: '2030-12-05',
    successor: '/v1/usage',
    advice: 'Use getUsage.',
    documentation: '/docs',
  })
  read(): string[] {
    return [];
  }
}

@Module({ controllers: [NewsController] })
class NewsModule {}
const NOON = Date.parse('2026-11-21T12:00:00Z') / 1000;
const MIDNIGHT = '2026-11-22T00:00:00.000Z';

const clock = new FakeClock();
sharePreparedApp({ clock, extensions: [{ module: NewsModule }] });

let accounts = 0;
let account: string;
let key: string;
let id: string;

beforeEach(async () => {
  clock.ms = NOON * 1000 + 250;
  account = `busy ${(accounts += 1)}`;
  const terms = { account, plan: 'enterprise', perMinute: PER_MINUTE, perDay: 1_000 } as const;
  ({ key, id } = await service.app.get(KeysService).createKey(terms));
});

async function usage(as = key): Promise<Record<string, unknown>> {
  const response = await service.request('/v1/usage', { key: as });
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return (await response.json()) as Record<string, unknown>;
}

async function call(times: number, as = key): Promise<Response[]> {
  const responses: Response[] = [];
  for (let n = 0; n < times; n += 1) responses.push(await service.request('/v1/pets', { key: as }));
  return responses;
}

describe('getUsage', () => {
  it('returns the plan and both windows of an account without requests', async () => {
    expect(await usage()).toEqual({
      account,
      plan: 'enterprise',
      key: { id, scopes: DEFAULT_SCOPES },
      minute: { limit: PER_MINUTE, remaining: PER_MINUTE, resetsAt: '2026-11-21T12:01:00.000Z' },
      day: { limit: 1_000, remaining: 1_000, resetsAt: MIDNIGHT },
      strikes: 0,
    });
  });

  it('uses no quota, opens no window, and shows the values of the next request', async () => {
    const unused = { limit: PER_MINUTE, remaining: PER_MINUTE, reset: NOON + 60 };
    for (const method of ['GET', 'HEAD']) {
      const response = await service.request('/v1/usage', { key, method });
      expect([response.status, trio(response)]).toEqual([200, unused]);
    }
    clock.advanceSeconds(10);
    const [first] = await call(1);
    expect(first && trio(first)).toEqual({ limit: PER_MINUTE, remaining: PER_MINUTE - 1, reset: NOON + 70 });
    expect(await usage()).toMatchObject({
      minute: { remaining: PER_MINUTE - 1, resetsAt: '2026-11-21T12:01:10.000Z' },
      day: { remaining: 999 },
    });
  });

  it('returns the same to every key of the account', async () => {
    await call(2);
    expect(await usage(await service.key({ account, plan: 'enterprise' }))).toMatchObject({
      minute: { remaining: 1 },
      day: { remaining: 998 },
    });
    expect(await usage(await service.key())).toMatchObject({
      plan: 'business',
      minute: { limit: 1_000, remaining: 1_000 },
    });
  });

  it('works for an exhausted account, and returns its strikes', async () => {
    await call(PER_MINUTE + 2);
    const response = await service.request('/v1/usage', { key });
    expect([response.status, trio(response)]).toEqual([200, { limit: PER_MINUTE, remaining: 0, reset: NOON + 60 }]);
    const windows = { minute: { remaining: 0 }, day: { remaining: 997 } };
    expect(await usage()).toMatchObject({ ...windows, strikes: 2 });
    expect(await usage(await service.key({ account, plan: 'enterprise' }))).toMatchObject({ ...windows, strikes: 0 });
    clock.advanceSeconds(60);
    expect(await usage()).toMatchObject({ minute: { remaining: PER_MINUTE }, strikes: 0 });
  });

  it('shows the day in its headers if that has fewer requests left', async () => {
    await service.app.get(AccountsService).changePlan(account, 'enterprise', { perMinute: 3, perDay: 4 });
    await call(3);
    clock.advanceSeconds(60);
    const response = await service.request('/v1/usage', { key });
    expect(trio(response)).toEqual({ limit: 4, remaining: 1, reset: Date.parse(MIDNIGHT) / 1000 });
    expect(await response.json()).toMatchObject({
      minute: { limit: 3, remaining: 3 },
      day: { limit: 4, remaining: 1 },
    });
    await service.app.get(AccountsService).changePlan(account, 'enterprise', { perMinute: 2, perDay: 2 });
    await call(2);
    expect(await usage()).toMatchObject({ minute: { limit: 2, remaining: 2 }, day: { limit: 2, remaining: 0 } });
  });

  it('returns the ban of a banned key, and does not change it', async () => {
    const [banned] = (await call(2 * PER_MINUTE)).slice(-1);
    expect(banned && (await errorOf(banned)).code).toBe('api_key_banned');
    clock.advanceSeconds(10);
    for (let n = 0; n < 2; n += 1) {
      const response = await service.request('/v1/usage', { key });
      expect([response.status, trio(response)]).toEqual([200, { limit: PER_MINUTE, remaining: 0, reset: NOON + 60 }]);
      expect(await response.json()).toMatchObject({ strikes: 0, bannedUntil: '2026-11-21T12:01:00.000Z' });
    }
    const [still] = await call(1);
    expect(still && (await errorOf(still)).code).toBe('api_key_banned');
    await service.app.get(KeysService).unban(id);
    expect(await usage()).not.toHaveProperty('bannedUntil');
  });

  it('uses no quota, has its own limit of 300 a minute with operations of extensions, and causes no ban', async () => {
    const news = await service.request('/v1/news', { key });
    expect([news.status, trio(news)]).toEqual([200, { limit: PER_MINUTE, remaining: PER_MINUTE, reset: NOON + 60 }]);
    expect(news.headers.get('deprecation')).toBe('@1795219200');
    for (let n = 1; n < 300; n += 1) await usage();
    for (const path of ['/v1/usage', '/v1/news']) {
      const refused = await service.request(path, { key });
      expect(trio(refused)).toEqual({ limit: 300, remaining: 0, reset: NOON + 60 });
      expect(refused.headers.get('retry-after')).toBe('60');
      expect(await errorOf(refused)).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    }
    const [pets] = await call(1);
    expect(pets && [pets.status, trio(pets).remaining]).toEqual([200, PER_MINUTE - 1]);
    clock.advanceSeconds(60);
    expect(await usage()).toHaveProperty('strikes', 0);
  });

  it('tells the name, the scopes and the expiry of a key, which needs no scope', async () => {
    const keys = service.app.get(KeysService);
    const options = { name: 'Nightly import', scopes: ['pets:read'], expiresInMs: 86_400_000 };
    const narrow = await keys.createKey({ account, plan: 'enterprise', ...options });
    expect((await usage(narrow.key)).key).toEqual({
      id: narrow.id,
      name: 'Nightly import',
      scopes: ['pets:read'],
      expiresAt: new Date(clock.ms + 86_400_000).toISOString(),
    });
  });

  it('leaves other methods and sub-paths to the plan', async () => {
    const responses = [
      await ask(service.port, { method: 'POST', path: '/v1/usage', key }),
      await ask(service.port, { method: 'OPTIONS', path: '/v1/usage', key }),
      await ask(service.port, { path: '/v1/usage/', key }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([405, 204, 404]);
    expect(await usage()).toMatchObject({ minute: { remaining: PER_MINUTE - 3 } });
  });
});

async function callOnce() {
  const response = await service.request('/v1/pets', { key });
  const { remaining, reset } = trio(response);
  const retryAfter = response.headers.get('retry-after');
  const code = response.ok ? null : (await errorOf(response)).code;
  return { status: response.status, code, remaining, reset, retryAfter };
}

/** Uses up the minute, then goes on until the key is banned; gives back the ban. */
async function provoke() {
  let seen = await callOnce();
  for (let n = 0; n < 2 * PER_MINUTE && seen.code !== 'api_key_banned'; n += 1) seen = await callOnce();
  return seen;
}

// The rules have their own tests, beside the counters. Here, a response shows them.
it('a key that continues after 429 is banned for a minute when its rejections reach its minute limit', async () => {
  const seen: (string | null)[] = [];
  for (let n = 0; n < 2 * PER_MINUTE; n += 1) seen.push((await callOnce()).code);
  const limited = 'rate_limit_exceeded';
  expect(seen).toEqual([null, null, null, limited, limited, 'api_key_banned']);
  const ban = { status: 429, code: 'api_key_banned', remaining: 0, reset: NOON + 60, retryAfter: '60' };
  expect(await callOnce()).toEqual(ban);
});

describe('an operator who lifts a ban', () => {
  it('admits the key from the next request on, and makes the next ban as short as a first one', async () => {
    await provoke();
    clock.advanceSeconds(1);
    await service.app.get(KeysService).unban(id);
    expect((await callOnce()).code).toBe('rate_limit_exceeded');
    clock.advanceSeconds(59);
    expect((await callOnce()).status).toBe(200);
    expect((await provoke()).retryAfter).toBe('60');
  });

  it('lifts the ban from a machine whose clock is behind', async () => {
    await provoke();
    await service.app.get(LastUsedTracker).flush();
    clock.advanceSeconds(-300);
    await service.app.get(KeysService).unban(id);
    clock.advanceSeconds(300);
    expect((await callOnce()).code).toBe('rate_limit_exceeded');
  });

  it('lifts no ban that begins later than an hour afterwards, although the last use was at a wrong time', async () => {
    const tomorrow = clock.nowMs() + 86_400_000;
    await service.app.get(Database).manager.update(ApiKey, { id }, { lastUsedAt: tomorrow });
    await service.app.get(KeysService).unban(id);
    clock.advanceSeconds(3_600);
    expect((await provoke()).code).toBe('api_key_banned');
  });
});
