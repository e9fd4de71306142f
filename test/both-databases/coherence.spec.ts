import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEFAULT_SCOPES } from '../../src/auth/keys/scopes.js';
import { startApp, type TestApp } from '../support/app.js';
import { makeFolder } from '../support/databases.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { AMPLE } from '../support/temporary.js';
import { JSON_TYPE } from '../support/http.js';
import { codeOf } from '../support/keys-api.js';
import { RedisServer } from '../support/servers/redis-server.js';

const INSTANCES = 3;

const services: TestApp[] = [];
let redis: RedisServer;
let key: string;
/** The pet that was added last. */
let last: number;

beforeAll(async () => {
  redis = await RedisServer.start();
  const folder = makeFolder();
  while (services.length < INSTANCES) services.push(await startApp({ folder, env: redis.env }));
  key = await instance(0).key({ plan: 'enterprise', perMinute: 1_000_000, perDay: 1_000_000 });
  last = (await add(0)).id;
});
afterAll(async () => {
  for (const service of services) await service.stop();
  await redis.stop();
});

function instance(index: number): TestApp {
  const service = services[index % INSTANCES];
  if (service === undefined) throw new Error('No instance was started.');
  return service;
}

async function add(round: number): Promise<{ readonly id: number }> {
  const response = await instance(round).post('/v1/pets', key, `{"name":"pet ${round}","categoryId":1}`);
  return (await response.json()) as { id: number };
}

/** The last page, as every instance answers it. */
const pages = () =>
  Promise.all(
    services.map(
      async (service) =>
        (await (await service.request(`/v1/pets?after=${last}`, { key })).json()) as { name: string }[],
    ),
  );

/**
 * Each round reads what the round before left, adds a pet, and reads again; `disturb` comes in between. Gives back the
 * names that each instance found in each round.
 */
async function addInTurns(
  rounds: number,
  disturb: (round: number) => Promise<unknown> = async () => undefined,
): Promise<string[][]> {
  const found: string[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    await pages();
    await disturb(round);
    const { id } = await add(round);
    found.push((await pages()).map((page) => page.map(({ name }) => name).join()));
    last = id;
  }
  return found;
}

async function pauseAndResume(round: number): Promise<void> {
  if (round === 3) redis.pause();
  if (round === 6) redis.resume();
}

/** That each instance found the new pet of each round. */
const all = (rounds: number) => Array.from({ length: rounds }, (_, round) => services.map(() => `pet ${round}`));

describeWithRedis('a client that got the response to a create', () => {
  it('finds the pet in the next page from every instance', async () => {
    expect(await addInTurns(50)).toEqual(all(50));
  });

  it('does so while Redis is unavailable, and when it is back', async () => {
    expect(await addInTurns(9, pauseAndResume)).toEqual(all(9));
  });

  it('does so after Redis lost its data', async () => {
    expect(await addInTurns(9, () => redis.call('FLUSHALL'))).toEqual(all(9));
  });
});

const codes = (of: string) => Promise.all(services.map((service) => codeOf(service, of)));

const onAll = (code: string) => services.map(() => code);

describeWithRedis('a client that got the response to a change of a key', () => {
  const ROUNDS = 10;
  let manager: string;

  beforeAll(async () => {
    manager = await instance(0).key({ ...AMPLE, account: 'keys', scopes: [...DEFAULT_SCOPES, 'keys:manage'] });
  });

  async function send(round: number, id: string, method: string, change?: object): Promise<void> {
    const body = change === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(change) };
    const response = await instance(round).request(`/v1/keys/${id}`, { key: manager, method, ...body });
    expect(response.ok).toBe(true);
  }

  /** Uses a new key on every instance, changes it on one, and uses it again at once on every instance. */
  async function codesAfter(round: number, method: string, change?: object): Promise<string[]> {
    const changed = await instance(0).createKey({ ...AMPLE, account: 'keys' });
    expect(await codes(changed.key)).toEqual(onAll('ok'));
    await send(round, changed.id, method, change);
    return codes(changed.key);
  }

  it.each([
    ['api_key_revoked', 'DELETE', undefined],
    ['api_key_paused', 'PATCH', { paused: true }],
    ['insufficient_scope', 'PATCH', { scopes: ['orders:read'] }],
  ])('gets %s from every instance', async (code, method, change) => {
    for (let round = 0; round < ROUNDS; round += 1)
      expect(await codesAfter(round, method, change)).toEqual(onAll(code));
  });

  it('gets through to every instance with a key that was resumed', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, key: paused } = await instance(0).createKey({ ...AMPLE, account: 'keys' });
      await send(round, id, 'PATCH', { paused: true });
      // The second time, every instance has read the change.
      for (let times = 0; times < 2; times += 1) expect(await codes(paused)).toEqual(onAll('api_key_paused'));
      await send(round, id, 'PATCH', { paused: false });
      expect(await codes(paused)).toEqual(onAll('ok'));
    }
  });

  it('gets it also after Redis lost its data, with the limits of the address', async () => {
    const revoked = await instance(0).createKey({ ...AMPLE, account: 'keys' });
    expect(await codes(revoked.key)).toEqual(onAll('ok'));
    await send(0, revoked.id, 'DELETE');
    await redis.call('FLUSHALL');
    const response = await instance(1).request('/v1/pets', { key: revoked.key });
    expect(response.status).toBe(401);
    expect(response.headers.get('x-ratelimit-limit')).toBe('300');
    expect(response.headers.get('ratelimit-policy')?.match(/"minute"/g)).toHaveLength(1);
  });
});
