import { afterAll, describe, expect, it } from '@jest/globals';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { Folders } from '../support/folders.js';

const NOON = Date.parse('2026-11-21T12:00:00Z') / 1000;

const folders = new Folders();
afterAll(() => folders.remove());

/** Stops the service and starts another on its folder, at the same time of the clock. */
async function restart(service: TestApp, clock: FakeClock, env: Record<string, string> = {}): Promise<TestApp> {
  await service.stop({ keepData: true });
  return startApp({ clock, folder: service.folder, env });
}

const list = (service: TestApp, key: string) => service.request('/v1/pets', { key });

describe('a restart', () => {
  it('gives nobody fresh quota: the minute and the day go on', async () => {
    const clock = new FakeClock();
    let service = await startApp({ clock, folder: folders.make() });
    const key = await service.key({ plan: 'enterprise', perMinute: 10, perDay: 12 });
    for (let n = 0; n < 6; n += 1) await list(service, key);
    clock.advanceSeconds(30);
    service = await restart(service, clock);
    expect(trio(await list(service, key))).toEqual({ limit: 10, remaining: 3, reset: NOON + 60 });
    service = await restart(service, clock);
    expect(trio(await list(service, key))).toEqual({ limit: 10, remaining: 2, reset: NOON + 60 });
    clock.advanceSeconds(30);
    service = await restart(service, clock);
    expect(trio(await list(service, key))).toEqual({ limit: 12, remaining: 3, reset: NOON + 43_200 });
    await service.stop();
  });

  it('does not hold back what a window\'s end has freed meanwhile', async () => {
    const clock = new FakeClock();
    let service = await startApp({ clock, folder: folders.make() });
    const key = await service.key({ plan: 'enterprise', perMinute: 3, perDay: 100 });
    for (let n = 0; n < 4; n += 1) await list(service, key);
    await service.stop({ keepData: true });
    clock.advanceSeconds(59.749);
    service = await startApp({ clock, folder: service.folder });
    expect((await list(service, key)).status).toBe(429);
    clock.advanceSeconds(0.001);
    expect(trio(await list(service, key))).toEqual({ limit: 3, remaining: 2, reset: NOON + 120 });
    await service.stop();
  });

  it('ends no ban, and makes the next one no shorter', async () => {
    const clock = new FakeClock();
    let service = await startApp({ clock, folder: folders.make() });
    const key = await service.key({ plan: 'enterprise', perMinute: 2, perDay: 1_000 });
    const exhaust = async () => {
      for (let n = 0; n < 4; n += 1) await list(service, key);
      const answer = await list(service, key);
      return { code: (await errorOf(answer)).code, retryAfter: answer.headers.get('retry-after'), reset: trio(answer).reset };
    };
    expect(await exhaust()).toEqual({ code: 'api_key_banned', retryAfter: '60', reset: NOON + 60 });
    clock.advanceSeconds(20);
    service = await restart(service, clock);
    const banned = await list(service, key);
    expect([await errorOf(banned), trio(banned).reset]).toEqual([expect.objectContaining({ code: 'api_key_banned' }), NOON + 60]);
    clock.advanceSeconds(40);
    service = await restart(service, clock);
    expect(await exhaust()).toMatchObject({ code: 'api_key_banned', retryAfter: '120' });
    await service.stop();
  });

  it('does not forget rejections that count towards a ban', async () => {
    const clock = new FakeClock();
    let service = await startApp({ clock, folder: folders.make() });
    const key = await service.key({ plan: 'enterprise', perMinute: 3, perDay: 1_000 });
    for (let n = 0; n < 5; n += 1) await list(service, key);
    service = await restart(service, clock);
    expect((await errorOf(await list(service, key))).code).toBe('api_key_banned');
    await service.stop();
  });

  it('gives no address fresh attempts', async () => {
    const env = { ANONYMOUS_PER_MINUTE: '5' };
    const clock = new FakeClock();
    let service = await startApp({ clock, folder: folders.make(), env });
    for (let n = 0; n < 4; n += 1) await service.request('/v1/pets');
    service = await restart(service, clock, env);
    expect(trio(await service.request('/v1/pets')).remaining).toBe(0);
    expect((await service.request('/v1/pets')).status).toBe(429);
    await service.stop();
  });

  it('keeps the animals, and numbers them on', async () => {
    const clock = new FakeClock();
    let service = await startApp({ clock, folder: folders.make() });
    const key = await service.key();
    const add = async () => ((await (await service.post('/v1/pets', key, '{"name":"x","categoryId":9223372036854775807}')).json()) as { id: number }).id;
    const before = await add();
    service = await restart(service, clock);
    expect(await add()).toBe(before + 1);
    expect(await (await service.request(`/v1/pets/${before}`, { key })).text()).toBe(`{"id":${before},"name":"x","categoryId":9223372036854775807}`);
    await service.stop();
  });
});
