import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LastUsedTracker } from '../../src/auth/authentication/last-used-tracker.js';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { errorOf } from '../support/expectations.js';

const START = Date.parse('2026-11-21T12:00:00Z') / 1000;
const PER_MINUTE = 3;

let clock: FakeClock;
let service: TestApp;
let key: string;
let sibling: string;
let id: string;

beforeEach(async () => {
  clock = new FakeClock(START * 1000 + 250);
  service = await startApp({ clock });
  const terms = { account: 'busy', plan: 'enterprise', perMinute: PER_MINUTE, perDay: 100_000 } as const;
  const issued = await service.app.get(KeysService).createKey(terms);
  ({ key, id } = issued);
  sibling = await service.key(terms);
});
afterEach(() => service.stop());

interface Seen {
  readonly status: number;
  readonly code: string | null;
  readonly remaining: unknown;
  readonly reset: unknown;
  readonly retryAfter: number | null;
}

async function call(as = key): Promise<Seen> {
  const response = await service.request('/v1/pets', { key: as });
  const { remaining, reset } = trio(response);
  const retryAfter = response.headers.get('retry-after');
  const code = response.ok ? null : (await errorOf(response)).code;
  return {
    status: response.status,
    code,
    remaining,
    reset,
    retryAfter: retryAfter === null ? null : Number(retryAfter),
  };
}

/** Uses up the minute, then goes on until the key is banned; gives back the ban. */
async function provoke(as = key): Promise<Seen> {
  let seen = await call(as);
  for (let n = 0; n < 2 * PER_MINUTE && seen.code !== 'api_key_banned'; n += 1) seen = await call(as);
  return seen;
}

const nowSeconds = () => Math.floor(clock.nowMs() / 1000);

describe('a key that continues after 429', () => {
  it('is banned for a minute when its rejections reach its minute limit', async () => {
    const seen: (string | null)[] = [];
    for (let n = 0; n < 2 * PER_MINUTE + 1; n += 1) seen.push((await call()).code);
    expect(seen).toEqual([
      null,
      null,
      null,
      'rate_limit_exceeded',
      'rate_limit_exceeded',
      'api_key_banned',
      'api_key_banned',
    ]);
    expect(await call()).toEqual({
      status: 429,
      code: 'api_key_banned',
      remaining: 0,
      reset: START + 60,
      retryAfter: 60,
    });
  });

  it('is not banned if its rejections are spread over more than a minute', async () => {
    for (let minute = 0; minute < 4; minute += 1) {
      for (let n = 0; n < PER_MINUTE; n += 1) expect((await call()).status).toBe(200);
      for (let n = 0; n < PER_MINUTE - 1; n += 1) expect((await call()).code).toBe('rate_limit_exceeded');
      clock.advanceSeconds(60);
    }
  });

  it('does not extend its ban by further calls', async () => {
    const { reset } = await provoke();
    for (const passed of [10, 20, 29]) {
      clock.advanceSeconds(passed);
      for (let n = 0; n < 5 * PER_MINUTE; n += 1) expect(await call()).toMatchObject({ code: 'api_key_banned', reset });
    }
    expect((await call()).retryAfter).toBe(1);
    clock.advanceSeconds(0.749);
    expect(await call()).toMatchObject({ code: 'api_key_banned', retryAfter: 1 });
    clock.advanceSeconds(0.001);
    expect(await call()).toMatchObject({ status: 200, remaining: PER_MINUTE - 1 });
  });

  it('is banned twice as long each time, up to an hour, and for a minute again after a day', async () => {
    const lengths: number[] = [];
    for (let ban = 0; ban < 8; ban += 1) {
      const { reset, retryAfter } = await provoke();
      lengths.push(Number(retryAfter));
      expect(reset).toBe(nowSeconds() + Number(retryAfter));
      clock.set(new Date(Number(reset) * 1000).toISOString());
    }
    expect(lengths).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600]);
    clock.advanceSeconds(86_400);
    expect((await provoke()).retryAfter).toBe(60);
  });

  it('does not affect the other keys of its account', async () => {
    await provoke();
    clock.advanceSeconds(60);
    expect((await provoke()).retryAfter).toBe(120);
    clock.advanceSeconds(60);
    expect(await call(sibling)).toMatchObject({ status: 200, remaining: PER_MINUTE - 1 });
    expect(await call()).toMatchObject({ code: 'api_key_banned', retryAfter: 60 });
  });

  it('uses no quota of its account while it is banned', async () => {
    await provoke();
    clock.advanceSeconds(60);
    await provoke();
    clock.advanceSeconds(60);
    for (let n = 0; n < 10; n += 1) await call();
    expect(await call(sibling)).toMatchObject({ status: 200, remaining: PER_MINUTE - 1 });
  });
});

describe('an operator who lifts a ban', () => {
  it('admits the key from the next request on', async () => {
    await provoke();
    clock.advanceSeconds(1);
    await service.app.get(KeysService).unban(id);
    expect((await call()).code).toBe('rate_limit_exceeded');
    clock.advanceSeconds(59);
    expect((await call()).status).toBe(200);
  });

  it('lifts the ban from a machine whose clock is behind', async () => {
    await provoke();
    await service.app.get(LastUsedTracker).flush();
    clock.advanceSeconds(-300);
    await service.app.get(KeysService).unban(id);
    clock.advanceSeconds(300);
    expect((await call()).code).toBe('rate_limit_exceeded');
  });

  it('makes the next ban as short as a first one', async () => {
    await provoke();
    clock.advanceSeconds(60);
    expect((await provoke()).retryAfter).toBe(120);
    clock.advanceSeconds(1);
    await service.app.get(KeysService).unban(id);
    clock.advanceSeconds(60);
    expect((await provoke()).retryAfter).toBe(60);
  });
});

describe('a ban', () => {
  it('applies to every path', async () => {
    await provoke();
    const responses = [
      await service.request('/v1/nothing', { key }),
      await service.request('/v1/pets', { key, method: 'DELETE' }),
      await service.post('/v1/pets', key, '{"name":'),
    ];
    for (const response of responses)
      expect(await errorOf(response)).toMatchObject({ status: 429, code: 'api_key_banned' });
  });

  it('depends on the limit of the current plan', async () => {
    for (let n = 0; n < PER_MINUTE; n += 1) await call();
    await service.app.get(KeysService).changePlan('busy', 'enterprise', { perMinute: 2, perDay: 100 });
    expect((await call()).code).toBe('rate_limit_exceeded');
    expect((await call()).code).toBe('api_key_banned');
  });
});
