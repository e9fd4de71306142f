import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { trio } from '../support/app.js';
import { Fleet } from '../support/fleet.js';
import { ask } from '../support/http.js';
import { until } from '../support/until.js';

const INSTANCES = 3;
const LIMIT = 300;
const REQUESTS = 480;

let fleet: Fleet;

beforeAll(async () => {
  // Generous timeouts, because this test is not about a slow database on a busy machine.
  fleet = await Fleet.start({ instances: INSTANCES, env: { DATABASE_TIMEOUT_MS: '30000' } });
});
afterAll(() => fleet?.stop());

const everywhere = (value: unknown) => Array(INSTANCES).fill(value);
const list = (key: string) => Promise.all(fleet.ports.map((port) => ask(port, { path: '/v1/pets', key })));

/** Returns what each instance responds to a key: the error code, or the limit that applies. */
async function standing(key: string): Promise<unknown[]> {
  return Promise.all(
    (await list(key)).map(async (response) =>
      response.ok ? trio(response).limit : ((await response.json()) as { code: string }).code,
    ),
  );
}

const untilEverywhere = (key: string, expected: unknown) =>
  until(async () => (await standing(key)).every((value) => value === expected));

async function change(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await fleet.keys(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe('soon, on every instance', () => {
  it('a rotated key has ended, and its successor is accepted until it is revoked', async () => {
    const old = await fleet.createKey('rotated', { plan: 'free' });
    expect(await standing(old.key)).toEqual(everywhere(60));
    const rotated = await change('rotate', old.id, '--overlap', '0s', '--json');
    const next = JSON.parse(rotated) as { id: string; key: string };
    await untilEverywhere(old.key, 'api_key_expired');
    await untilEverywhere(next.key, 60);
    await change('revoke', next.id);
    await untilEverywhere(next.key, 'api_key_revoked');
  });

  it('a new plan applies, and the counts are kept', async () => {
    const { key } = await fleet.createKey('growing', { plan: 'pro' });
    const all = (await list(key)).map(trio);
    await change('plan', 'growing', 'business');
    await until(async () => {
      const latest = (await list(key)).map(trio);
      all.push(...latest);
      return latest.every(({ limit }) => limit === 1_000);
    });
    const reset = all.at(-1)?.reset;
    // All instances count together in the minute of the last responses.
    const used = all
      .filter((one) => one.reset === reset)
      .map(({ limit, remaining }) => Number(limit) - Number(remaining));
    expect(used.toSorted((a, b) => a - b)).toEqual(used.map((_, n) => n + 1));
  });

  it('a ban is lifted', async () => {
    const { id, key } = await fleet.createKey('banned', { plan: 'enterprise', perMinute: 30, perDay: 30 });
    await untilEverywhere(key, 'api_key_banned');
    await change('unban', id);
    await untilEverywhere(key, 'rate_limit_exceeded');
    expect(await standing(key)).toEqual(everywhere('rate_limit_exceeded'));
  });
});

interface Answer {
  readonly status: number;
  readonly remaining: number;
  readonly reset: number;
}

/** Sends concurrent requests, with the instances and the keys in rotation. */
function flood(...keys: string[]): Promise<Answer[]> {
  const { ports } = fleet;
  return Promise.all(
    Array.from({ length: REQUESTS }, async (_, n) => {
      const response = await ask(ports[n % ports.length] ?? 0, { path: '/v1/pets', key: keys[n % keys.length] });
      const { remaining, reset } = trio(response);
      return { status: response.status, remaining: Number(remaining), reset: Number(reset) };
    }),
  );
}

describe(`${REQUESTS} concurrent requests to three instances`, () => {
  it.each([1, 2])(
    `are admitted ${LIMIT} times a minute, each with another remaining number, with %i keys`,
    async (keys) => {
      const terms = { plan: 'enterprise', perMinute: LIMIT, perDay: 10_000 } as const;
      const issue = async () => (await fleet.createKey(`flooded ${keys}`, terms)).key;
      const secrets = [await issue(), await issue()].slice(0, keys);
      const before = await fleet.metric('petstore_redis_fallbacks_total');
      const responses = await flood(...secrets);
      const minutes = [...Map.groupBy(responses, ({ reset }) => reset).values()];
      for (const ofMinute of minutes) {
        const admitted = ofMinute.filter(({ status }) => status === 200);
        const refused = ofMinute.length - admitted.length;
        const remaining = admitted.map((one) => one.remaining).toSorted((a, b) => b - a);
        expect(remaining).toEqual(
          Array.from({ length: refused > 0 ? LIMIT : admitted.length }, (_, n) => LIMIT - 1 - n),
        );
      }
      expect(responses.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
      expect(await fleet.metric('petstore_redis_fallbacks_total')).toEqual(before);
    },
  );
});
