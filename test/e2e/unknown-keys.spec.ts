import { Agent } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { KeyChangesPoller } from '../../src/auth/authentication/key-changes.poller.js';
import { ApiKeysRepository } from '../../src/auth/keys/api-keys.repository.js';
import { FakeClock, startApp, type TestApp, trio } from '../support/app.js';
import { ask, concurrently } from '../support/http.js';

const PER_MINUTE = 300;
/** Queries of a minute that need no quota of an address. */
const FREE_LOOK_UPS = 1_000;

const clock = new FakeClock();
let service: TestApp;
let agent: Agent;

beforeEach(async () => {
  service = await startApp({ clock });
  agent = new Agent({ keepAlive: true });
});
afterEach(async () => {
  jest.restoreAllMocks();
  agent.destroy();
  await service.stop();
});

const list = (key: string, { port } = service) => ask(port, { path: '/v1/pets?limit=1', key }, agent);
const flood = (times: number, next: () => string) =>
  concurrently(
    Array.from({ length: times }, () => () => list(next())),
    100,
  );
const madeUp = () => generateApiKey('live');

async function exhaustAddress(): Promise<void> {
  await flood(PER_MINUTE, () => 'nonsense');
  expect((await list('nonsense')).status).toBe(429);
}

describe('well-formed keys that do not exist', () => {
  it('cause a bounded number of queries, and get 429 after their address is exhausted', async () => {
    const find = jest.spyOn(ApiKeysRepository.prototype, 'find');
    const responses = await flood(3_000, madeUp);
    const [unauthenticated, others] = [
      responses.filter(({ status }) => status === 401),
      responses.filter(({ status }) => status !== 401),
    ];
    const left = unauthenticated.map((response) => Number(trio(response).remaining)).toSorted((a, b) => b - a);
    expect(left).toEqual(Array.from({ length: PER_MINUTE }, (_, index) => PER_MINUTE - 1 - index));
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([429]));
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
    const newcomer = await startApp({ clock, folder: service.folder });
    await exhaustAddress();
    for (let n = 0; n < PER_MINUTE; n += 1) await list('nonsense', newcomer);
    expect((await list(madeUp(), newcomer)).status).toBe(429);
    for (const key of keys) expect((await list(key, newcomer)).status).toBe(200);
    expect((await list(keys[0] ?? '')).status).toBe(200);
    await newcomer.stop({ keepData: true });
  });

  it('is accepted from its creation on, and within a second on other instances', async () => {
    const other = await startApp({ clock, folder: service.folder });
    await exhaustAddress();
    const key = await other.key();
    await service.app.get(KeyChangesPoller).poll();
    expect((await list(key)).status).toBe(200);
    expect((await list(await service.key())).status).toBe(200);
    await other.stop({ keepData: true });
  });
});

describe('a new key of another instance', () => {
  it('uses no quota of its address, even with concurrent requests', async () => {
    const other = await startApp({ clock, folder: service.folder });
    await service.app.get(KeyChangesPoller).onApplicationShutdown();
    const key = await other.key();
    const responses = await flood(2 * PER_MINUTE, () => key);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(Number(trio(await ask(service.port, { path: '/v1/pets' })).remaining)).toBe(PER_MINUTE - 1);
    await other.stop({ keepData: true });
  });
});
