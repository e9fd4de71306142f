import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock, trio } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { service, sharePreparedApp } from '../support/folders.js';

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
      'an IPv4-mapped address counts as the IPv4 address',
      ['192.0.2.1', '::FFFF:c000:201', '::ffff:192.0.2.9'],
      [4, 3, 4],
    ],
    [
      'the address that the nearest proxy saw counts, not one that the client sent',
      ['203.0.113.1', 'nonsense', '10.1.1.1'].map((forged) => `${forged}, 192.0.2.77, 10.2.2.2`),
      [4, 3, 2],
    ],
    ['invalid addresses share one quota', ['nonsense', 'x'.repeat(1_000), '192.0.2:1234', '<script>'], [4, 3, 2, 1]],
    ['an address with a port counts as the address', ['192.0.2.5:1234', '192.0.2.5', '[2001:db8::1]:1234'], [4, 3, 4]],
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
  });
});
