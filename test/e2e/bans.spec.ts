import { beforeEach, describe, expect, it } from '@jest/globals';
import { LastUsedTracker } from '../../src/auth/authentication/last-used-tracker.js';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { FakeClock, trio } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { service, sharePreparedApp } from '../support/folders.js';

const START = Date.parse('2026-11-21T12:00:00Z') / 1000;
const PER_MINUTE = 3;

const clock = new FakeClock();
let account = 0;
let key: string;
let sibling: string;
let id: string;

sharePreparedApp({ clock });
beforeEach(async () => {
  clock.ms = START * 1000 + 250;
  account += 1;
  const terms = { account: `busy ${account}`, plan: 'enterprise', perMinute: PER_MINUTE, perDay: 100_000 } as const;
  ({ key, id } = await service.app.get(KeysService).createKey(terms));
  sibling = await service.key(terms);
});

async function call(as = key) {
  const response = await service.request('/v1/pets', { key: as });
  const { remaining, reset } = trio(response);
  const retryAfter = response.headers.get('retry-after');
  const code = response.ok ? null : (await errorOf(response)).code;
  return { status: response.status, code, remaining, reset, retryAfter };
}

/** Uses up the minute, then goes on until the key is banned; gives back the ban. */
async function provoke() {
  let seen = await call();
  for (let n = 0; n < 2 * PER_MINUTE && seen.code !== 'api_key_banned'; n += 1) seen = await call();
  return seen;
}

// The rules have their own tests, beside the counters. Here, a response shows them.
describe('a key that continues after 429', () => {
  it('is banned for a minute when its rejections reach its minute limit', async () => {
    const seen: (string | null)[] = [];
    for (let n = 0; n < 2 * PER_MINUTE; n += 1) seen.push((await call()).code);
    const limited = 'rate_limit_exceeded';
    expect(seen).toEqual([null, null, null, limited, limited, 'api_key_banned']);
    expect(await call()).toEqual({
      status: 429,
      code: 'api_key_banned',
      remaining: 0,
      reset: START + 60,
      retryAfter: '60',
    });
  });

  it('does not extend its ban by further calls', async () => {
    const { reset } = await provoke();
    clock.advanceSeconds(59);
    for (let n = 0; n < 5 * PER_MINUTE; n += 1) expect(await call()).toMatchObject({ code: 'api_key_banned', reset });
    clock.advanceSeconds(0.749);
    expect(await call()).toMatchObject({ code: 'api_key_banned', retryAfter: '1' });
    clock.advanceSeconds(0.001);
    expect(await call()).toMatchObject({ status: 200, remaining: PER_MINUTE - 1 });
  });

  it('is banned twice as long the next time, which does not affect the other keys of its account', async () => {
    await provoke();
    clock.advanceSeconds(60);
    expect((await provoke()).retryAfter).toBe('120');
    clock.advanceSeconds(60);
    expect(await call(sibling)).toMatchObject({ status: 200, remaining: PER_MINUTE - 1 });
    expect(await call()).toMatchObject({ code: 'api_key_banned', retryAfter: '60' });
  });
});

describe('an operator who lifts a ban', () => {
  it('admits the key from the next request on, and makes the next ban as short as a first one', async () => {
    await provoke();
    clock.advanceSeconds(1);
    await service.app.get(KeysService).unban(id);
    expect((await call()).code).toBe('rate_limit_exceeded');
    clock.advanceSeconds(59);
    expect((await call()).status).toBe(200);
    expect((await provoke()).retryAfter).toBe('60');
  });

  it('lifts the ban from a machine whose clock is behind', async () => {
    await provoke();
    await service.app.get(LastUsedTracker).flush();
    clock.advanceSeconds(-300);
    await service.app.get(KeysService).unban(id);
    clock.advanceSeconds(300);
    expect((await call()).code).toBe('rate_limit_exceeded');
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
    const limits = { perMinute: 2, perDay: 100 };
    await service.app.get(KeysService).changePlan(`busy ${account}`, 'enterprise', limits);
    expect((await call()).code).toBe('rate_limit_exceeded');
    expect((await call()).code).toBe('api_key_banned');
  });
});
