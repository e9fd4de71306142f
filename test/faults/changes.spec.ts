import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { trio } from '../support/app.js';
import { Fleet } from '../support/fleet.js';
import { ask } from '../support/http.js';
import { withinASecond } from '../support/until.js';

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.start({ instances: 3 });
});
afterAll(() => fleet?.stop());

const list = (key: string) => Promise.all(fleet.ports.map((port) => ask(port, { path: '/v1/pets', key })));

/** Returns what each instance responds to a key: the error code, or the limit that applies. */
async function standing(key: string): Promise<unknown[]> {
  const responses = await list(key);
  return Promise.all(
    responses.map(async (response) =>
      response.ok ? trio(response).limit : ((await response.json()) as { code: string }).code,
    ),
  );
}

const everywhere = (value: unknown) => Array(3).fill(value);

/** Polls until every instance responds as expected, for at most a second. Returns the last responses. */
const standingSoon = async (key: string, expected: unknown) =>
  (
    await withinASecond(
      () => standing(key),
      (found) => found.every((value) => value === expected),
    )
  ).result;

async function change(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await fleet.keys(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe('within a second, on every instance', () => {
  it('a revoked key is refused', async () => {
    const { id, key } = await fleet.createKey('revoked', { plan: 'free' });
    expect(await standing(key)).toEqual(everywhere(60));
    await change('revoke', id);
    expect(await standingSoon(key, 'api_key_revoked')).toEqual(everywhere('api_key_revoked'));
  });

  it('a rotated key has ended, and its successor is accepted', async () => {
    const old = await fleet.createKey('rotated', { plan: 'free' });
    expect(await standing(old.key)).toEqual(everywhere(60));
    const next = JSON.parse(await change('rotate', old.id, '--overlap', '0s', '--json')) as { key: string };
    expect(await standingSoon(old.key, 'api_key_expired')).toEqual(everywhere('api_key_expired'));
    expect(await standingSoon(next.key, 60)).toEqual(everywhere(60));
  });

  it('a new plan applies, and the counts are kept', async () => {
    const { key } = await fleet.createKey('growing', { plan: 'free' });
    expect(await standing(key)).toEqual(everywhere(60));
    await change('plan', 'growing', 'pro');
    const { result, calls } = await withinASecond(
      async () => (await list(key)).map(trio),
      (shown) => shown.every(({ limit }) => limit === 300),
    );
    const used = 3 * calls;
    expect(result.map(({ remaining }) => Number(remaining)).toSorted((a, b) => b - a)).toEqual([
      299 - used,
      298 - used,
      297 - used,
    ]);
  });

  it('a ban is lifted', async () => {
    const { id, key } = await fleet.createKey('banned', { plan: 'enterprise', perMinute: 6, perDay: 100 });
    for (let n = 0; n < 4; n += 1) await list(key);
    expect(await standing(key)).toEqual(everywhere('api_key_banned'));
    await change('unban', id);
    expect(await standingSoon(key, 'rate_limit_exceeded')).toEqual(everywhere('rate_limit_exceeded'));
  });
});
