import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { trio } from '../support/app.js';
import { Fleet } from '../support/fleet.js';
import { ask } from '../support/http.js';

/** How soon a change has to hold everywhere, counted from the end of the command. */
const PROMISED_MS = 1_000;

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.start({ instances: 3 });
});
afterAll(() => fleet?.stop());

const list = (key: string) => Promise.all(fleet.ports.map((port) => ask(port, { path: '/v1/pets', key })));

/** What each instance answers a key: the code of an error, or the limit that applies. */
async function standing(key: string): Promise<unknown[]> {
  const answers = await list(key);
  return Promise.all(answers.map(async (answer) => (answer.ok ? trio(answer).limit : ((await answer.json()) as { code: string }).code)));
}

const everywhere = (value: unknown) => Array(3).fill(value);

async function change(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await fleet.keys(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  await delay(PROMISED_MS);
  return stdout;
}

describe('within a second, on every instance', () => {
  it('a key that was revoked is refused', async () => {
    const { id, key } = await fleet.createKey('revoked', '--plan', 'free');
    expect(await standing(key)).toEqual(everywhere(60));
    await change('revoke', id);
    expect(await standing(key)).toEqual(everywhere('api_key_revoked'));
  });

  it('a key that was rotated has ended, and its successor works', async () => {
    const old = await fleet.createKey('rotated', '--plan', 'free');
    expect(await standing(old.key)).toEqual(everywhere(60));
    const next = JSON.parse(await change('rotate', old.id, '--overlap', '0s', '--json')) as { key: string };
    expect(await standing(old.key)).toEqual(everywhere('api_key_expired'));
    expect(await standing(next.key)).toEqual(everywhere(60));
  });

  it('another plan holds, and what was used stays used', async () => {
    const { key } = await fleet.createKey('growing', '--plan', 'free');
    expect(await standing(key)).toEqual(everywhere(60));
    await change('plan', 'growing', 'pro');
    const answers = await list(key);
    expect(answers.map((answer) => trio(answer).remaining).toSorted()).toEqual([294, 295, 296]);
  });

  it('a ban that was lifted holds no more', async () => {
    const { id, key } = await fleet.createKey('banned', '--plan', 'enterprise', '--per-minute', '6', '--per-day', '100');
    for (let n = 0; n < 4; n += 1) await list(key);
    expect(await standing(key)).toEqual(everywhere('api_key_banned'));
    await change('unban', id);
    expect(await standing(key)).toEqual(everywhere('rate_limit_exceeded'));
  });
});
