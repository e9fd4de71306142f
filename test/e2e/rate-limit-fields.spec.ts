import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseList } from 'structured-headers';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { ask } from '../support/http.js';

const NOON = Date.parse('2026-11-21T12:00:00Z') / 1000;
const PER_MINUTE = 3;
const PER_DAY = 10;

let clock: FakeClock;
let service: TestApp;
let key: string;

async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  clock = new FakeClock(NOON * 1000 + 250);
  service = await startApp({ clock, env });
  const terms = { account: 'busy', plan: 'enterprise', perMinute: PER_MINUTE, perDay: PER_DAY } as const;
  ({ key } = await service.app.get(KeysService).createKey(terms));
}

afterEach(() => service.stop());

/** A field as a list of names with their parameters, parsed by the rules of RFC 9651. */
function parsed({ headers }: Response, name: string) {
  return parseList(headers.get(name) ?? '').map(([item, parameters]) => [item, Object.fromEntries(parameters)]);
}

const list = () => ask(service.port, { path: '/v1/pets', key });

describe('RateLimit and RateLimit-Policy', () => {
  beforeEach(() => start());

  it('show both windows of the plan, as the X-RateLimit headers show the tighter one', async () => {
    await list();
    clock.advanceSeconds(20);
    const response = await list();
    expect(parsed(response, 'ratelimit-policy')).toEqual([
      ['minute', { q: PER_MINUTE, w: 60 }],
      ['day', { q: PER_DAY, w: 86_400 }],
    ]);
    expect(parsed(response, 'ratelimit')).toEqual([
      ['minute', { r: 1, t: 40 }],
      ['day', { r: 8, t: 43_180 }],
    ]);
    expect(trio(response)).toEqual({ limit: PER_MINUTE, remaining: 1, reset: NOON + 60 });
  });

  it('show an exhausted window on 429, and the end of a ban', async () => {
    const responses = [];
    for (let count = 0; count < PER_MINUTE + PER_MINUTE; count += 1) responses.push(await list());
    const [, , , limited, , banned] = responses;
    expect(limited && parsed(limited, 'ratelimit')).toEqual([
      ['minute', { r: 0, t: 60 }],
      ['day', { r: 7, t: 43_200 }],
    ]);
    clock.advanceSeconds(30);
    const later = await list();
    expect(((await later.json()) as { code: string }).code).toBe('api_key_banned');
    expect(banned && parsed(banned, 'ratelimit')).toEqual(parsed(limited as Response, 'ratelimit'));
    expect(parsed(later, 'ratelimit')).toEqual([
      ['minute', { r: 0, t: 30 }],
      ['day', { r: 7, t: 43_170 }],
    ]);
  });

  it('show the quota of the account on getUsage, which uses none', async () => {
    await list();
    const response = await ask(service.port, { path: '/v1/usage', key });
    expect(parsed(response, 'ratelimit')).toEqual([
      ['minute', { r: 2, t: 60 }],
      ['day', { r: 9, t: 43_200 }],
    ]);
  });

  it('show the limits of the address on 401', async () => {
    const response = await ask(service.port, { path: '/v1/pets' });
    expect(parsed(response, 'ratelimit-policy')).toEqual([
      ['minute', { q: 300, w: 60 }],
      ['day', { q: 10_000, w: 86_400 }],
    ]);
    expect(parsed(response, 'ratelimit')).toEqual([
      ['minute', { r: 299, t: 60 }],
      ['day', { r: 9_999, t: 43_200 }],
    ]);
  });
});

describe('RATE_LIMIT_FIELDS=false', () => {
  beforeEach(() => start({ RATE_LIMIT_FIELDS: 'false' }));

  it('leaves them out, and keeps the X-RateLimit headers', async () => {
    const response = await list();
    expect(response.headers.has('ratelimit')).toBe(false);
    expect(response.headers.has('ratelimit-policy')).toBe(false);
    expect(trio(response)).toMatchObject({ limit: PER_MINUTE, remaining: 2 });
  });
});
