import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { trio } from '../support/app.js';
import { Fleet } from '../support/fleet.js';
import { ask } from '../support/http.js';

/** The per-minute limit of the Business plan. */
const LIMIT = 1_000;
const REQUESTS = 1_600;

let fleet: Fleet;

beforeAll(async () => {
  // Generous timeouts, because this test is not about a slow database on a busy machine.
  fleet = await Fleet.start({
    instances: 3,
    env: { DATABASE_TIMEOUT_MS: '30000' },
  });
});
afterAll(() => fleet?.stop());

interface Answer {
  readonly status: number;
  readonly remaining: unknown;
  readonly reset: unknown;
}

/** Sends concurrent requests, with the instances and the keys in rotation. */
function flood(requests: number, ...keys: string[]): Promise<Answer[]> {
  const { ports } = fleet;
  return Promise.all(
    Array.from({ length: requests }, async (_, n) => {
      const response = await ask(ports[n % ports.length] ?? 0, { path: '/v1/pets', key: keys[n % keys.length] });
      await response.arrayBuffer();
      const { remaining, reset } = trio(response);
      return { status: response.status, remaining, reset };
    }),
  );
}

/** Counts the responses by status. */
const tally = (responses: readonly Answer[]) =>
  Object.fromEntries(
    [...Map.groupBy(responses, ({ status }) => status)].map(([status, { length }]) => [status, length]),
  );

/** Returns the remaining requests after each admission, in descending order. */
const remainders = (responses: readonly Answer[]) =>
  responses
    .filter(({ status }) => status === 200)
    .map(({ remaining }) => Number(remaining))
    .toSorted((a, b) => b - a);

const everyNumberBelow = (end: number) => Array.from({ length: end }, (_, n) => end - 1 - n);

/** @param ms on the clock of `Date.now()`; resolves at once if it is in the past */
const until = (ms: number) => delay(Math.max(0, ms - Date.now()));

async function businessKey(account: string): Promise<string> {
  return (await fleet.createKey(account, { plan: 'business' })).key;
}

const fallbacks = () => fleet.metric('petstore_redis_fallbacks_total');

describe('1,600 concurrent requests to three instances', () => {
  it('are admitted 1,000 times with a Business key, and each remaining number is returned once', async () => {
    const key = await businessKey('one key');
    const before = await fallbacks();
    const responses = await flood(REQUESTS, key);
    expect(tally(responses)).toEqual({ 200: LIMIT, 429: REQUESTS - LIMIT });
    expect(remainders(responses)).toEqual(everyNumberBelow(LIMIT));
    expect(await fallbacks()).toEqual(before);
  });

  it('are admitted 1,000 times with two keys of one account', async () => {
    const keys = [await businessKey('two keys'), await businessKey('two keys')];
    const before = await fallbacks();
    const responses = await flood(REQUESTS, ...keys);
    expect(tally(responses)).toEqual({ 200: LIMIT, 429: REQUESTS - LIMIT });
    expect(remainders(responses)).toEqual(everyNumberBelow(LIMIT));
    expect(await fallbacks()).toEqual(before);
  });

  it('are admitted 1,000 times in each of two minutes at the end of the first', async () => {
    const keys = [await businessKey('two minutes'), await businessKey('two minutes')];
    const before = await fallbacks();
    const early = await flood(900, ...keys);
    const endSeconds = Number(early[0]?.reset);
    await until(endSeconds * 1_000 - 400);
    // Stay below the number of refusals that bans a key.
    const around = await flood(REQUESTS, ...keys);
    await until(endSeconds * 1_000);
    const left = LIMIT - around.filter(({ status, reset }) => status === 200 && Number(reset) > endSeconds).length;
    const late = await flood(left + 50, ...keys);
    const responses = [...early, ...around, ...late];
    expect(Object.keys(tally(responses))).toEqual(['200', '429']);
    const inFirst = responses.filter(({ reset }) => Number(reset) === endSeconds);
    const inSecond = responses.filter(({ reset }) => Number(reset) > endSeconds);
    expect(remainders(inSecond)).toEqual(everyNumberBelow(LIMIT));
    // How many requests the first window admits depends on the speed of the machine.
    const admittedFirst = remainders(inFirst);
    expect(admittedFirst).toEqual(everyNumberBelow(LIMIT).slice(0, admittedFirst.length));
    expect(await fallbacks()).toEqual(before);
  });
});
