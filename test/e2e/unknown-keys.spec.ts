import { Agent } from 'node:http';
import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { KeyChangesPoller } from '../../src/auth/authentication/key-changes.poller.js';
import { ApiKeysRepository } from '../../src/auth/keys/api-keys.repository.js';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { ask, concurrently } from '../support/http.js';

const PER_MINUTE = 20;
/** Queries of a minute that need no quota of an address. */
const FREE_LOOK_UPS = 1_000;

const clock = new FakeClock();
const env = { ANONYMOUS_PER_MINUTE: String(PER_MINUTE) };
const agent = new Agent({ keepAlive: true });
/** Another instance on the same database. */
let other: TestApp;

sharePreparedApp({ clock, env }, async () => {
  other = await startApp({ clock, env, folder: service.folder });
});
beforeEach(() => clock.advanceSeconds(60));
afterEach(() => void jest.restoreAllMocks());
afterAll(async () => {
  agent.destroy();
  await other.stop({ keepData: true });
});

const list = (key: string, { port } = service) => ask(port, { path: '/v1/pets?limit=1', key }, agent);
const flood = (times: number, next: () => string) =>
  concurrently(
    Array.from({ length: times }, () => () => list(next())),
    100,
  );
const madeUp = () => generateApiKey('live');

async function exhaustAddress(instance = service): Promise<void> {
  for (let n = 0; n < PER_MINUTE; n += 1) await list('nonsense', instance);
  expect((await list(madeUp(), instance)).status).toBe(429);
}

describe('well-formed keys that do not exist', () => {
  it('cause a bounded number of queries, and get 429 after their address is exhausted', async () => {
    const find = jest.spyOn(ApiKeysRepository.prototype, 'find');
    const responses = await flood(FREE_LOOK_UPS + 200, madeUp);
    const unauthenticated = responses.filter(({ status }) => status === 401);
    const left = unauthenticated.map((response) => Number(trio(response).remaining)).toSorted((a, b) => b - a);
    expect(left).toEqual(Array.from({ length: PER_MINUTE }, (_, index) => PER_MINUTE - 1 - index));
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(responses.length - PER_MINUTE);
    expect(find.mock.calls.length).toBeLessThanOrEqual(FREE_LOOK_UPS);
  });

  it('count per request, also if the same one arrives many times at once', async () => {
    const key = madeUp();
    const responses = await flood(PER_MINUTE + 20, () => key);
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(PER_MINUTE);
  });
});

describe('a valid key behind an exhausted address', () => {
  it('is accepted, even if this instance never saw it', async () => {
    const keys = [await service.key(), await service.key()];
    await exhaustAddress(other);
    for (const key of keys) expect((await list(key, other)).status).toBe(200);
  });

  it('is accepted from its creation on, and on other instances once they poll', async () => {
    await exhaustAddress();
    const key = await other.key();
    await service.app.get(KeyChangesPoller).poll();
    expect((await list(key)).status).toBe(200);
    expect((await list(await service.key())).status).toBe(200);
  });
});

describe('a new key of another instance', () => {
  it('uses no quota of its address, even with concurrent requests', async () => {
    await service.app.get(KeyChangesPoller).onApplicationShutdown();
    const key = await other.key();
    const responses = await flood(2 * PER_MINUTE, () => key);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(Number(trio(await ask(service.port, { path: '/v1/pets' })).remaining)).toBe(PER_MINUTE - 1);
  });
});
