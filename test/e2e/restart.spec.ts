// @postgres: the next process reads what the last one wrote.
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { Folders } from '../support/folders.js';

const NOON = Date.parse('2026-11-21T12:00:00Z') / 1000;

const folders = new Folders();
afterAll(() => folders.remove());

let clock: FakeClock;
let service: TestApp;

beforeEach(() => {
  clock = new FakeClock();
});
afterEach(() => service.stop());

async function start(env: Record<string, string> = {}): Promise<void> {
  service = await startApp({ clock, folder: folders.make(), env });
}

/** Stops the service, and starts another on its folder after a while. */
async function restart({
  afterSeconds = 0,
  env = {},
}: { afterSeconds?: number; env?: Record<string, string> } = {}): Promise<void> {
  await service.stop({ keepData: true });
  clock.advanceSeconds(afterSeconds);
  service = await startApp({ clock, folder: service.folder, env });
}

const list = (key: string) => service.request('/v1/pets', { key });

describe('a restart', () => {
  it('keeps the counts of the minute and the day', async () => {
    await start();
    const key = await service.key({ plan: 'enterprise', perMinute: 10, perDay: 12 });
    for (let n = 0; n < 6; n += 1) await list(key);
    await restart({ afterSeconds: 30 });
    expect(trio(await list(key))).toEqual({ limit: 10, remaining: 3, reset: NOON + 60 });
    await restart();
    expect(trio(await list(key))).toEqual({ limit: 10, remaining: 2, reset: NOON + 60 });
    await restart({ afterSeconds: 30 });
    expect(trio(await list(key))).toEqual({ limit: 12, remaining: 3, reset: NOON + 43_200 });
  });

  it('does not restore windows that have ended meanwhile', async () => {
    await start();
    const key = await service.key({ plan: 'enterprise', perMinute: 3, perDay: 100 });
    for (let n = 0; n < 4; n += 1) await list(key);
    await restart({ afterSeconds: 59.749 });
    expect((await list(key)).status).toBe(429);
    clock.advanceSeconds(0.001);
    expect(trio(await list(key))).toEqual({ limit: 3, remaining: 2, reset: NOON + 120 });
  });

  it('keeps a ban, and the length of the next one', async () => {
    await start();
    const key = await service.key({ plan: 'enterprise', perMinute: 2, perDay: 1_000 });
    const exhaust = async () => {
      for (let n = 0; n < 4; n += 1) await list(key);
      const response = await list(key);
      return {
        code: (await errorOf(response)).code,
        retryAfter: response.headers.get('retry-after'),
        reset: trio(response).reset,
      };
    };
    expect(await exhaust()).toEqual({ code: 'api_key_banned', retryAfter: '60', reset: NOON + 60 });
    await restart({ afterSeconds: 20 });
    const banned = await list(key);
    expect([await errorOf(banned), trio(banned).reset]).toEqual([
      expect.objectContaining({ code: 'api_key_banned' }),
      NOON + 60,
    ]);
    await restart({ afterSeconds: 40 });
    expect(await exhaust()).toMatchObject({ code: 'api_key_banned', retryAfter: '120' });
  });

  it('keeps the strikes that count towards a ban', async () => {
    await start();
    const key = await service.key({ plan: 'enterprise', perMinute: 3, perDay: 1_000 });
    for (let n = 0; n < 5; n += 1) await list(key);
    await restart();
    expect((await errorOf(await list(key))).code).toBe('api_key_banned');
  });

  it('keeps the counts of addresses', async () => {
    const env = { ANONYMOUS_PER_MINUTE: '5' };
    await start(env);
    for (let n = 0; n < 4; n += 1) await service.request('/v1/pets');
    await restart({ env });
    expect(trio(await service.request('/v1/pets')).remaining).toBe(0);
    expect((await service.request('/v1/pets')).status).toBe(429);
  });

  it('keeps the pets, and assigns the next identifiers', async () => {
    await start();
    const key = await service.key();
    const add = async () => {
      const added = await service.post('/v1/pets', key, '{"name":"x","categoryId":9223372036854775807}');
      return ((await added.json()) as { id: number }).id;
    };
    const before = await add();
    await restart();
    expect(await add()).toBe(before + 1);
    expect(await (await service.request(`/v1/pets/${before}`, { key })).text()).toBe(
      `{"id":${before},"name":"x","categoryId":9223372036854775807}`,
    );
  });
});
