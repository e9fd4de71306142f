import { Agent } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { PLANS } from '../../src/auth/keys/plan.js';
import { FakeClock, startApp, trio } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { type Ask, ask, concurrently, JSON_TYPE } from '../support/http.js';
import { withinASecond } from '../support/until.js';
import { service, sharePreparedApp } from '../support/folders.js';

const NOON = Date.parse('2026-11-21T12:00:00Z') / 1000;

const clock = new FakeClock();

sharePreparedApp({ clock });

const list = (key: string) => ask(service.port, { path: '/v1/pets?limit=1', key });

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

describe.each(['free', 'pro', 'business'] as const)('the plan %s', (plan) => {
  const { perMinute } = PLANS[plan];

  it(`admits exactly ${perMinute} of many concurrent requests to any path, and shows each remaining number once`, async () => {
    const key = await service.key({ plan });
    const agent = new Agent({ keepAlive: true, maxSockets: 32 });
    const extra = 30;
    const requests = Array.from(
      { length: perMinute + extra },
      (_, index) => () => ask(service.port, { ...(MIX[index % MIX.length] as Ask), key }, agent),
    );
    const responses = await concurrently(requests, 32);
    agent.destroy();
    const admitted = responses.filter(({ status }) => status !== 429).map(trio);
    const refused = responses.filter(({ status }) => status === 429).map(trio);
    expect(admitted.map(({ remaining }) => remaining).toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: perMinute }, (_, index) => index),
    );
    expect(refused).toEqual(
      Array.from({ length: extra }, () => ({ limit: perMinute, remaining: 0, reset: NOON + 60 })),
    );
    expect(new Set(admitted.map(({ limit, reset }) => `${limit} until ${reset}`))).toEqual(
      new Set([`${perMinute} until ${NOON + 60}`]),
    );
  });
});

let named = 0;
async function accountOn(plan: 'free' | 'pro'): Promise<{ account: string; key: string }> {
  const account = `plan ${(named += 1)}`;
  return { account, key: await service.key({ account, plan }) };
}

describe('the keys of an account', () => {
  it('share its quota', async () => {
    const terms = { account: 'shared', plan: 'enterprise', perMinute: 5, perDay: 50 } as const;
    const first = await service.key(terms);
    const second = await service.key(terms);
    const statuses: [number, unknown][] = [];
    for (const key of [first, second, second, first, second, first, second]) {
      const response = await list(key);
      statuses.push([response.status, trio(response).remaining]);
    }
    expect(statuses).toEqual([
      [200, 4],
      [200, 3],
      [200, 2],
      [200, 1],
      [200, 0],
      [429, 0],
      [429, 0],
    ]);
  });

  it('do not affect other accounts', async () => {
    const [one, other] = [await service.key({ plan: 'free' }), await service.key({ plan: 'free' })];
    expect(trio(await list(one)).remaining).toBe(59);
    expect(trio(await list(other)).remaining).toBe(59);
  });
});

describe('requests without an account', () => {
  it('use no quota: health, metrics, documents, unknown paths outside the API', async () => {
    const key = await service.key({ plan: 'free' });
    await list(key);
    for (const path of ['/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json', '/nothing'])
      await ask(service.port, { path, key });
    expect(trio(await list(key)).remaining).toBe(58);
  });
});

describe('a change of plan', () => {
  it('applies from the next request, and keeps the counts', async () => {
    const { account, key } = await accountOn('free');
    for (let n = 0; n < 60; n += 1) await list(key);
    expect((await list(key)).status).toBe(429);
    await service.app.get(KeysService).changePlan(account, 'pro', {});
    const upgraded = await list(key);
    expect([upgraded.status, trio(upgraded)]).toEqual([200, { limit: 300, remaining: 239, reset: NOON + 60 }]);
    await service.app.get(KeysService).changePlan(account, 'free', {});
    const downgraded = await list(key);
    expect([downgraded.status, trio(downgraded)]).toEqual([429, { limit: 60, remaining: 0, reset: NOON + 60 }]);
  });

  it('by another instance applies within a second', async () => {
    const { account, key } = await accountOn('free');
    const other = await startApp({ clock, folder: service.folder });
    expect(trio(await list(key))).toMatchObject({ limit: 60, remaining: 59 });
    await other.app.get(KeysService).changePlan(account, 'pro', {});
    const { result, calls } = await withinASecond(
      async () => trio(await list(key)),
      ({ limit }) => limit === 300,
    );
    await other.stop({ keepData: true });
    expect(result).toEqual({ limit: 300, remaining: 299 - calls, reset: NOON + 60 });
  });

  it('to custom limits shows them', async () => {
    const { account, key } = await accountOn('pro');
    await list(key);
    await service.app.get(KeysService).changePlan(account, 'enterprise', { perMinute: 7, perDay: 9 });
    expect(trio(await list(key))).toMatchObject({ limit: 7, remaining: 5 });
  });
});

describe('a 429', () => {
  it('has an Error object and Retry-After', async () => {
    const key = await service.key({ plan: 'enterprise', perMinute: 2, perDay: 10 });
    await list(key);
    await list(key);
    const response = await list(key);
    expect(response.headers.get('retry-after')).toBe('60');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await errorOf(response)).toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
      message: expect.stringContaining('60'),
    });
  });
});
