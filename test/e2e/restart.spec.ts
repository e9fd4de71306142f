import { describe, expect, it } from '@jest/globals';
import { FakeClock, startApp, trio } from '../support/app.js';
import { errorOf } from '../support/expectations.js';

const NOON = Date.parse('2026-11-21T12:00:00Z') / 1000;
const clock = new FakeClock();
const env = { ANONYMOUS_PER_MINUTE: '5' };

describe('a restart', () => {
  it('keeps the counts of accounts and addresses, the bans and strikes of keys, and the pets', async () => {
    let service = await startApp({ clock, env });
    /** Stops the service, and starts another on its folder after a while. */
    const restart = async (afterSeconds: number) => {
      await service.stop({ keepData: true });
      clock.advanceSeconds(afterSeconds);
      service = await startApp({ clock, env, folder: service.folder });
    };
    const list = (key?: string) => service.request('/v1/pets', key === undefined ? {} : { key });
    const listTimes = async (times: number, key?: string) => {
      for (let n = 0; n < times; n += 1) await list(key);
    };
    const refusal = async (key?: string) => {
      const response = await list(key);
      const { code } = await errorOf(response);
      return [code, response.headers.get('retry-after'), trio(response).reset];
    };
    const usageOf = async (key: string) => (await service.request('/v1/usage', { key })).json();
    const enterprise = (perMinute: number, perDay: number) => service.key({ plan: 'enterprise', perMinute, perDay });
    const [counted, banned, striking] = [
      await enterprise(10, 12),
      await enterprise(2, 1_000),
      await enterprise(3, 1_000),
    ];
    const owner = await service.key();
    const add = async () => {
      const added = await service.post('/v1/pets', owner, '{"name":"x","categoryId":9223372036854775807}');
      return ((await added.json()) as { id: number }).id;
    };
    await listTimes(6, counted);
    await listTimes(4, banned);
    await listTimes(5, striking);
    await listTimes(4);
    const pet = await add();
    expect(await refusal(banned)).toEqual(['api_key_banned', '60', NOON + 60]);

    await restart(30);
    expect(trio(await list(counted))).toEqual({ limit: 10, remaining: 3, reset: NOON + 60 });
    expect(await refusal(banned)).toEqual(['api_key_banned', '30', NOON + 60]);
    expect(await usageOf(striking)).toMatchObject({ minute: { remaining: 0 }, strikes: 2 });
    expect((await refusal(striking))[0]).toBe('api_key_banned');
    expect(trio(await list()).remaining).toBe(0);
    expect((await refusal())[0]).toBe('rate_limit_exceeded');
    expect(await add()).toBe(pet + 1);
    expect(await (await service.request(`/v1/pets/${pet}`, { key: owner })).text()).toBe(
      `{"id":${pet},"name":"x","categoryId":9223372036854775807}`,
    );

    // The minute has ended. The day, and what a ban adds to the next one, have not.
    await restart(30);
    expect(trio(await list(counted))).toEqual({ limit: 12, remaining: 4, reset: NOON + 43_200 });
    await listTimes(3, banned);
    expect(await refusal(banned)).toEqual(['api_key_banned', '120', NOON + 180]);
    await service.stop();
  });
});
