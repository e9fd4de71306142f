import { afterEach, describe, expect, it } from '@jest/globals';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { errorOf } from '../support/expectations.js';

const NOON = Date.parse('2026-11-21T12:00:00Z') / 1000;

let clock: FakeClock;
let service: TestApp;

async function start(env: Record<string, string> = {}): Promise<void> {
  clock = new FakeClock();
  service = await startApp({ clock, env: { ANONYMOUS_PER_MINUTE: '5', ANONYMOUS_PER_DAY: '12', ...env } });
}
afterEach(() => service.stop());

/** A request without a key, as forwarded for an address. */
const anonymous = (forwardedFor?: string) =>
  service.request('/v1/pets', forwardedFor === undefined ? {} : { headers: { 'X-Forwarded-For': forwardedFor } });

async function remaining(forwardedFor?: string): Promise<unknown> {
  return trio(await anonymous(forwardedFor)).remaining;
}

async function remainingOf(addresses: readonly string[]): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (const address of addresses) seen.push(await remaining(address));
  return seen;
}

describe('requests without a valid key', () => {
  it('return 401 with the rate-limit headers of their address, then 429', async () => {
    await start();
    const seen: unknown[] = [];
    for (let n = 0; n < 5; n += 1) {
      const response = await anonymous();
      seen.push([response.status, trio(response).remaining]);
    }
    expect(seen).toEqual([
      [401, 4],
      [401, 3],
      [401, 2],
      [401, 1],
      [401, 0],
    ]);
    const refused = await anonymous();
    expect(trio(refused)).toEqual({ limit: 5, remaining: 0, reset: NOON + 60 });
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.headers.get('www-authenticate')).toBeNull();
    expect(await errorOf(refused)).toEqual({
      status: 429,
      code: 'rate_limit_exceeded',
      message: 'The limit of 5 requests per minute without a valid API key is exhausted. Retry after 60 seconds.',
    });
    clock.advanceSeconds(60);
    expect((await anonymous()).status).toBe(401);
  });

  it('have a daily limit too', async () => {
    await start();
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
    await start();
    await service.request('/v1/pets', { key: 'nonsense' });
    await service.request('/v1/nothing', { headers: { Authorization: 'Basic eDp5' } });
    const revoked = await service.key({ expiresInMs: 1 });
    clock.advanceSeconds(1);
    await service.post('/v1/pets', revoked, '{');
    expect(await remaining()).toBe(1);
  });

  it('neither use the quota of a valid key behind the same address nor block it', async () => {
    await start();
    const key = await service.key({ plan: 'free' });
    for (let n = 0; n < 10; n += 1) await anonymous();
    expect((await anonymous()).status).toBe(429);
    for (const left of [59, 58, 57]) {
      const response = await service.request('/v1/pets', { key });
      expect([response.status, trio(response).remaining]).toEqual([200, left]);
    }
  });

  it('do not include requests with a valid key, whatever their status', async () => {
    await start();
    const key = await service.key();
    for (let n = 0; n < 6; n += 1) await service.request('/v1/nothing', { key });
    expect(await remaining()).toBe(4);
  });

  it('never cause a ban', async () => {
    await start();
    const codes: string[] = [];
    for (let n = 0; n < 50; n += 1) codes.push((await errorOf(await anonymous())).code);
    expect(codes).toEqual([
      ...Array.from({ length: 5 }, () => 'missing_api_key'),
      ...Array.from({ length: 45 }, () => 'rate_limit_exceeded'),
    ]);
    clock.advanceSeconds(60);
    expect((await errorOf(await anonymous())).code).toBe('missing_api_key');
  });
});

describe('behind a trusted proxy', () => {
  const TRUSTED = { TRUST_PROXY: '127.0.0.1/32, ::1/128, 10.0.0.0/8' };

  it('each client address has its own quota', async () => {
    await start(TRUSTED);
    for (let n = 0; n < 6; n += 1) await anonymous('192.0.2.1');
    expect((await anonymous('192.0.2.1')).status).toBe(429);
    expect(await remaining('192.0.2.2')).toBe(4);
  });

  it.each<[string, string[], number[]]>([
    [
      'an IPv6 /64 is one client, in any spelling',
      [
        '2001:db8:1:2::1',
        '2001:db8:1:2:ffff:ffff:ffff:ffff',
        '2001:DB8:1:2:a::',
        '2001:0db8:0001:0002:0:0:0:1',
        '2001:db8:1:3::1',
      ],
      [4, 3, 2, 1, 4],
    ],
    [
      'an IPv4-mapped address counts as the IPv4 address',
      ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:c000:201', '::ffff:192.0.2.9'],
      [4, 3, 2, 4],
    ],
    [
      'the address that the nearest proxy saw counts, not one that the client sent',
      ['203.0.113.1', '203.0.113.2', 'nonsense', '10.1.1.1'].map((forged) => `${forged}, 192.0.2.1, 10.2.2.2`),
      [4, 3, 2, 1],
    ],
    ['invalid addresses share one quota', ['nonsense', 'x'.repeat(1_000), '192.0.2:1234', '<script>'], [4, 3, 2, 1]],
    [
      'an address with a port counts as the address',
      ['192.0.2.1:1234', '192.0.2.1', '192.0.2.1:5678', '[2001:db8::1]:1234', '2001:db8::2'],
      [4, 3, 2, 4, 3],
    ],
  ])('%s', async (_, addresses, expected) => {
    await start(TRUSTED);
    expect(await remainingOf(addresses)).toEqual(expected);
  });
});

describe('without a trusted proxy', () => {
  it('X-Forwarded-For gives no new quota', async () => {
    await start();
    expect(await remainingOf(['192.0.2.1', '192.0.2.2', '2001:db8::1'])).toEqual([4, 3, 2]);
  });
});
