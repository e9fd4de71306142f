import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { errorOf } from '../support/expectations.js';

const seconds = (iso: string) => Date.parse(iso) / 1000;
const MIDNIGHT = seconds('2026-11-22T00:00:00Z');

let clock: FakeClock;
let service: TestApp;

beforeEach(async () => {
  clock = new FakeClock();
  service = await startApp({ clock });
});
afterEach(() => service.stop());

const enterprise = (perMinute: number, perDay: number) => service.key({ plan: 'enterprise', perMinute, perDay });

/** Status, the trio, and Retry-After, of a request at a time of the fake clock. */
async function at(iso: string, key: string): Promise<unknown[]> {
  clock.set(iso);
  const response = await service.request('/v1/pets', { key });
  const { limit, remaining, reset } = trio(response);
  return [response.status, limit, remaining, reset, response.headers.get('retry-after')];
}

/** Message of the error that a request at a time of the fake clock gets. */
async function message(iso: string, key: string): Promise<string> {
  clock.set(iso);
  return (await errorOf(await service.request('/v1/pets', { key }))).message;
}

describe('the minute window', () => {
  it('begins on the second of the first request, and does not move', async () => {
    const key = await enterprise(5, 500);
    const end = seconds('2026-11-21T12:01:37Z');
    expect(await at('2026-11-21T12:00:37.900Z', key)).toEqual([200, 5, 4, end, null]);
    expect(await at('2026-11-21T12:01:00.000Z', key)).toEqual([200, 5, 3, end, null]);
    expect(await at('2026-11-21T12:01:36.999Z', key)).toEqual([200, 5, 2, end, null]);
    expect(await at('2026-11-21T12:01:37.000Z', key)).toEqual([200, 5, 4, end + 60, null]);
  });

  it('begins again with the first request after its end, not at its end', async () => {
    const key = await enterprise(5, 500);
    await at('2026-11-21T12:00:00Z', key);
    expect(await at('2026-11-21T12:03:20.500Z', key)).toEqual([200, 5, 4, seconds('2026-11-21T12:04:20Z'), null]);
  });

  it('ends at the reset: a millisecond earlier no request is admitted, and Retry-After is rounded up', async () => {
    const key = await enterprise(2, 500);
    const end = seconds('2026-11-21T12:01:00Z');
    await at('2026-11-21T12:00:00.250Z', key);
    await at('2026-11-21T12:00:00.250Z', key);
    expect(await at('2026-11-21T12:00:00.250Z', key)).toEqual([429, 2, 0, end, '60']);
    // A second rejection would be a ban, so that another account has to look on.
    const other = await enterprise(3, 500);
    for (let n = 0; n < 3; n += 1) await at('2026-11-21T12:00:00.250Z', other);
    expect(await at('2026-11-21T12:00:58.001Z', other)).toEqual([429, 3, 0, end, '2']);
    expect(await at('2026-11-21T12:00:59.999Z', other)).toEqual([429, 3, 0, end, '1']);
    expect(await at('2026-11-21T12:01:00.000Z', other)).toEqual([200, 3, 2, end + 60, null]);
  });
});

describe('the day window', () => {
  it('is the UTC day, and is shown if it has fewer requests left', async () => {
    const key = await enterprise(5, 7);
    const minute = seconds('2026-11-21T12:01:00Z');
    expect(await at('2026-11-21T12:00:00.250Z', key)).toEqual([200, 5, 4, minute, null]);
    for (const remaining of [3, 2, 1, 0])
      expect(await at('2026-11-21T12:00:01Z', key)).toEqual([200, 5, remaining, minute, null]);
    expect(await at('2026-11-21T12:00:02Z', key)).toEqual([429, 5, 0, minute, '58']);
    expect(await at('2026-11-21T12:01:00Z', key)).toEqual([200, 7, 1, MIDNIGHT, null]);
    expect(await at('2026-11-21T12:01:01Z', key)).toEqual([200, 7, 0, MIDNIGHT, null]);
    expect(await at('2026-11-21T12:01:02Z', key)).toEqual([429, 7, 0, MIDNIGHT, String(12 * 3600 - 62)]);
    expect(await at('2026-11-21T23:59:59.999Z', key)).toEqual([429, 7, 0, MIDNIGHT, '1']);
    expect(await at('2026-11-22T00:00:00.000Z', key)).toEqual([200, 5, 4, MIDNIGHT + 60, null]);
  });

  it('does not end a minute window at midnight', async () => {
    const key = await enterprise(5, 7);
    await at('2026-11-21T23:59:30Z', key);
    expect(await at('2026-11-22T00:00:10Z', key)).toEqual([200, 5, 3, MIDNIGHT + 30, null]);
  });

  it('does not count requests that the minute refuses', async () => {
    const key = await enterprise(4, 6);
    for (let n = 0; n < 4; n += 1) await at('2026-11-21T12:00:00Z', key);
    for (let n = 0; n < 3; n += 1) expect((await at('2026-11-21T12:00:01Z', key))[0]).toBe(429);
    expect(await at('2026-11-21T12:01:00Z', key)).toEqual([200, 6, 1, MIDNIGHT, null]);
  });
});

describe('the minute', () => {
  it('does not count requests that the day refuses', async () => {
    const key = await enterprise(4, 5);
    for (let n = 0; n < 4; n += 1) await at('2026-11-21T23:58:40Z', key);
    await at('2026-11-21T23:59:40Z', key);
    for (let n = 0; n < 3; n += 1) expect(await at('2026-11-21T23:59:41Z', key)).toEqual([429, 5, 0, MIDNIGHT, '19']);
    expect(await at('2026-11-22T00:00:00Z', key)).toEqual([200, 4, 2, MIDNIGHT + 40, null]);
  });
});

describe('of the two windows, a response shows', () => {
  it('the longer if both have the same number left', async () => {
    const key = await enterprise(5, 5);
    expect(await at('2026-11-21T12:00:00Z', key)).toEqual([200, 5, 4, MIDNIGHT, null]);
    const later = await enterprise(5, 7);
    await at('2026-11-21T12:00:00Z', later);
    await at('2026-11-21T12:00:00Z', later);
    expect(await at('2026-11-21T12:01:00Z', later)).toEqual([200, 7, 4, MIDNIGHT, null]);
  });

  it('the one that resets later if both are exhausted: the day', async () => {
    const key = await enterprise(2, 2);
    await at('2026-11-21T12:00:00Z', key);
    await at('2026-11-21T12:00:00Z', key);
    expect(await at('2026-11-21T12:00:01Z', key)).toEqual([429, 2, 0, MIDNIGHT, String(12 * 3600 - 1)]);
  });

  it('the one that resets later if both are exhausted: the minute', async () => {
    const key = await enterprise(3, 3);
    for (let n = 0; n < 3; n += 1) await at('2026-11-21T23:59:30Z', key);
    expect(await at('2026-11-21T23:59:40.500Z', key)).toEqual([429, 3, 0, MIDNIGHT + 30, '50']);
    expect(await at('2026-11-22T00:00:29.999Z', key)).toEqual([429, 3, 0, MIDNIGHT + 30, '1']);
    expect(await at('2026-11-22T00:00:30.000Z', key)).toEqual([200, 3, 2, seconds('2026-11-23T00:00:00Z'), null]);
  });
});

describe('the message of a 429 names', () => {
  it('the minute if it is exhausted', async () => {
    const key = await enterprise(2, 5);
    for (let n = 0; n < 2; n += 1) await at('2026-11-21T12:00:00Z', key);
    expect(await message('2026-11-21T12:00:48Z', key)).toBe(
      'The limit of 2 requests per minute is exhausted. Retry after 12 seconds.',
    );
  });

  it('the day if it is exhausted', async () => {
    const key = await enterprise(2, 3);
    for (let n = 0; n < 2; n += 1) await at('2026-11-21T23:58:00Z', key);
    await at('2026-11-21T23:59:00Z', key);
    expect(await message('2026-11-21T23:59:59Z', key)).toBe(
      'The limit of 3 requests per day is exhausted until 2026-11-22T00:00:00Z.',
    );
  });

  it('the window that resets later if both are exhausted', async () => {
    const key = await enterprise(3, 3);
    for (let n = 0; n < 3; n += 1) await at('2026-11-21T12:00:00Z', key);
    expect(await message('2026-11-21T12:00:01Z', key)).toMatch(/^The limit of 3 requests per day is exhausted/);
    const late = await enterprise(3, 3);
    for (let n = 0; n < 3; n += 1) await at('2026-11-21T23:59:30Z', late);
    expect(await message('2026-11-21T23:59:40Z', late)).toBe(
      'The limit of 3 requests per minute is exhausted. Retry after 50 seconds.',
    );
  });
});

describe('a clock that is set back', () => {
  it('gives no new quota', async () => {
    const key = await enterprise(5, 500);
    await at('2026-11-21T12:00:30Z', key);
    expect(await at('2026-11-21T12:00:20Z', key)).toEqual([200, 5, 3, seconds('2026-11-21T12:01:30Z'), null]);
  });
});
