import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { makeFolder } from '../support/databases.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
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
