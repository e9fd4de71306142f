import { Agent } from 'node:http';
import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Registry } from '@prometheus-io/client';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { KeyChangesPoller } from '../../src/auth/authentication/key-changes.poller.js';
import { ApiKeysRepository } from '../../src/auth/keys/api-keys.repository.js';
import { fetchDocument } from '../openapi/document.js';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { ask, concurrently } from '../support/http.js';

const NOON = Date.parse('2026-11-21T12:00:00Z') / 1000;
const ENV = { ANONYMOUS_PER_MINUTE: '5', ANONYMOUS_PER_DAY: '12' };

const clock = new FakeClock();
let tests = 0;
/** The client of the current test. */
let client: string;

beforeEach(() => {
  clock.ms = NOON * 1000 + 250;
  client = `198.51.100.${(tests += 1)}`;
});

const sendFrom = (address: string, path = '/v1/pets', headers: Record<string, string> = {}) =>
  service.request(path, { headers: { ...headers, 'X-Forwarded-For': address } });
const anonymous = () => sendFrom(client);
const madeUp = () => generateApiKey('live');

async function remainingOf(addresses: readonly string[]): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (const address of addresses) seen.push(trio(await sendFrom(address)).remaining);
  return seen;
}

describe('requests without a valid key', () => {
  sharePreparedApp({ clock, env: { ...ENV, TRUST_PROXY: '127.0.0.1/32, ::1/128, 10.0.0.0/8' } });

  it('return 401 with the rate-limit headers of their address, then 429, but never a ban', async () => {
    const seen: unknown[] = [];
    for (let n = 0; n < 5; n += 1) {
      const response = await anonymous();
      seen.push([response.status, trio(response).remaining]);
    }
    expect(seen).toEqual([4, 3, 2, 1, 0].map((remaining) => [401, remaining]));
    const refused = await anonymous();
    expect(trio(refused)).toEqual({ limit: 5, remaining: 0, reset: NOON + 60 });
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.headers.get('www-authenticate')).toBeNull();
    expect(await errorOf(refused)).toEqual({
      status: 429,
      code: 'rate_limit_exceeded',
      message: 'The limit of 5 requests per minute without a valid API key is exhausted. Retry after 60 seconds.',
    });
    for (let n = 0; n < 10; n += 1) expect((await errorOf(await anonymous())).code).toBe('rate_limit_exceeded');
    const metrics = await service.app.get(Registry).metrics();
    expect(metrics).toMatch(/^petstore_admissions_total\{plan="none",outcome="address_limited"\} 11$/m);
    clock.advanceSeconds(60);
    expect((await anonymous()).status).toBe(401);
  });

  it('have a daily limit too', async () => {
    const statuses: number[] = [];
    for (let minute = 0; minute < 3; minute += 1) {
      for (let n = 0; n < 5; n += 1) statuses.push((await anonymous()).status);
      clock.advanceSeconds(60);
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(12);
    const refused = await anonymous();
    expect(trio(refused)).toEqual({ limit: 12, remaining: 0, reset: NOON + 43_200 });
    expect((await errorOf(refused)).message).toMatch(
      /^The limit of 12 requests per day without a valid API key is exhausted/,
    );
  });

  it('count whatever the reason of the failure', async () => {
    const revoked = await service.key({ expiresInMs: 1 });
    clock.advanceSeconds(1);
    await sendFrom(client, '/v1/pets', { Authorization: 'Bearer nonsense' });
    await sendFrom(client, '/v1/nothing', { Authorization: 'Basic eDp5' });
    await sendFrom(client, '/v1/pets', { Authorization: `Bearer ${revoked}` });
    expect(await remainingOf([client])).toEqual([1]);
  });

  it('neither use the quota of a valid key behind the same address nor block it', async () => {
    const key = await service.key({ plan: 'free' });
    const withKey = () => sendFrom(client, '/v1/nothing', { Authorization: `Bearer ${key}` });
    for (let n = 0; n < 6; n += 1) expect((await withKey()).status).toBe(404);
    expect(await remainingOf([client])).toEqual([4]);
    for (let n = 0; n < 4; n += 1) await anonymous();
    expect((await anonymous()).status).toBe(429);
    const response = await withKey();
    expect([response.status, trio(response).remaining]).toEqual([404, 53]);
  });

  it.each<[string, string[], number[]]>([
    [
      'an IPv6 /64 is one client, in any spelling',
      ['2001:db8:1:2::1', '2001:DB8:1:2:a::', '2001:0db8:0001:0002:0:0:0:1', '2001:db8:1:3::1'],
      [4, 3, 2, 4],
    ],
    [
      'the address that the nearest proxy saw counts, not one that the client sent',
      ['203.0.113.1', 'nonsense', '10.1.1.1'].map((forged) => `${forged}, 192.0.2.77, 10.2.2.2`),
      [4, 3, 2],
    ],
  ])('are those of a client of a trusted proxy: %s', async (_, addresses, expected) => {
    expect(await remainingOf(addresses)).toEqual(expected);
  });
});

describe('without a trusted proxy', () => {
  sharePreparedApp({ clock, env: { ...ENV, RATE_LIMIT_FIELDS: 'false' } });

  it('X-Forwarded-For gives no new quota', async () => {
    expect(await remainingOf(['192.0.2.1', '192.0.2.2', '2001:db8::1'])).toEqual([4, 3, 2]);
  });

  it('RATE_LIMIT_FIELDS=false leaves out RateLimit and RateLimit-Policy only', async () => {
    const response = await service.request('/v1/pets', { key: await service.key({ plan: 'free' }) });
    expect([response.headers.has('ratelimit'), response.headers.has('ratelimit-policy')]).toEqual([false, false]);
    expect(trio(response)).toMatchObject({ limit: 60, remaining: 59 });
    const { info } = await fetchDocument(service);
    expect(info.description).toMatch(/Every response also has\s+`X-Content-Type-Options`/);
    expect(info.description).not.toMatch(/`RateLimit/);
  });
});

describe('with two instances', () => {
  const PER_MINUTE = 20;
  /** Queries of a minute that need no quota of an address. */
  const FREE_LOOK_UPS = 1_000;

  const commonClock = new FakeClock();
  const env = { ANONYMOUS_PER_MINUTE: String(PER_MINUTE) };
  const agent = new Agent({ keepAlive: true });
  /** Another instance on the same database. */
  let other: TestApp;

  sharePreparedApp({ clock: commonClock, env }, async () => {
    other = await startApp({ clock: commonClock, env, folder: service.folder });
  });
  beforeEach(() => commonClock.advanceSeconds(60));
  afterAll(async () => {
    agent.destroy();
    await other.stop({ keepData: true });
  });

  const list = (key: string, { port } = service) => ask(port, { path: '/v1/pets?limit=1', key }, agent);
  const flood = (times: number, next: () => string) =>
    concurrently(
      Array.from({ length: times }, () => () => list(next())),
      100,
    );

  async function exhaustAddress(instance = service): Promise<void> {
    for (let n = 0; n < PER_MINUTE; n += 1) await list('nonsense', instance);
    expect((await list(madeUp(), instance)).status).toBe(429);
  }

  describe('well-formed keys that do not exist', () => {
    it('cause a bounded number of queries, and get 429 after their address is exhausted', async () => {
      const find = jest.spyOn(ApiKeysRepository.prototype, 'find');
      const responses = await flood(FREE_LOOK_UPS + 200, madeUp);
      const unauthenticated = responses.filter(({ status }) => status === 401);
      const left = unauthenticated.map((response) => Number(trio(response).remaining)).toSorted((a, b) => b - a);
      expect(left).toEqual(Array.from({ length: PER_MINUTE }, (_, index) => PER_MINUTE - 1 - index));
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(responses.length - PER_MINUTE);
      expect(find.mock.calls.length).toBeLessThanOrEqual(FREE_LOOK_UPS);
    });

    it('count per request, also if the same one arrives many times at once', async () => {
      const key = madeUp();
      const responses = await flood(PER_MINUTE + 20, () => key);
      expect(responses.filter(({ status }) => status === 401)).toHaveLength(PER_MINUTE);
    });
  });

  describe('a valid key behind an exhausted address', () => {
    it('is accepted, even if this instance never saw it', async () => {
      const keys = [await service.key(), await service.key()];
      await exhaustAddress(other);
      for (const key of keys) expect((await list(key, other)).status).toBe(200);
    });

    it('is accepted from its creation on, and on other instances once they poll', async () => {
      await exhaustAddress();
      const key = await other.key();
      await service.app.get(KeyChangesPoller).poll();
      expect((await list(key)).status).toBe(200);
      expect((await list(await service.key())).status).toBe(200);
    });
  });

  it('a new key of another instance uses no quota of its address, even with concurrent requests', async () => {
    await service.app.get(KeyChangesPoller).onApplicationShutdown();
    const key = await other.key();
    const responses = await flood(2 * PER_MINUTE, () => key);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(Number(trio(await ask(service.port, { path: '/v1/pets' })).remaining)).toBe(PER_MINUTE - 1);
  });
});
