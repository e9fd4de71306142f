import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseUrl, onPostgres } from '../support/databases.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { AMPLE, Folders, makeKeys } from '../support/folders.js';
import { random } from '../support/random.js';
import { RedisServer } from '../support/redis-server.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import type { Action } from '../support/shop-actions.js';
import { settle } from '../support/shop-doubts.js';
import { ShopVisitor } from '../support/shop-visitor.js';
import { SEED, ShopWalk } from '../support/shop-walk.js';

/** SQLite is for one instance; on PostgreSQL several share the database, and through Redis what they remember of it. */
const INSTANCES = onPostgres ? 2 : 1;
const describeWalk = onPostgres ? describeWithRedis : describe;

/** On a busy machine the database is slow, which is another matter. */
const PATIENCE = { DATABASE_POOL_WAIT_MS: '10000', DATABASE_STATEMENT_TIMEOUT_MS: '10000' };
const CLIENTS = 16;
const ROUNDS = 4;
const TIMEOUT_MS = 120_000;

const below = random(SEED);
const folders = new Folders();
const instances: ServiceProcess[] = [];
let redis: RedisServer | undefined;
let walk: ShopWalk;
let start: () => Promise<ServiceProcess>;

beforeAll(async () => {
  redis = onPostgres ? await RedisServer.start() : undefined;
  const folder = folders.make();
  const keys = await makeKeys(folder, AMPLE, { ...AMPLE, account: 'another' });
  start = () => startProcess({ folder, env: { ...PATIENCE, DATABASE_URL: databaseUrl(folder), REDIS_URL: redis?.url ?? '' } });
  while (instances.length < INSTANCES) instances.push(await start());
  walk = new ShopWalk(() => instances.map(({ port }) => port), keys);
});
afterAll(async () => {
  walk.hangUp();
  for (const instance of instances) await instance.stop('SIGKILL');
  await redis?.stop();
  await folders.remove();
});

/**
 * Kills an instance amid its clients, while those of the others go on. Gives back what broke off.
 * @param isLate whether the clients are gone a moment before, in which more can be done than they are told of
 */
async function killAmid(visitors: readonly ShopVisitor[], index: number, isLate: boolean): Promise<Action[]> {
  const closing = new AbortController();
  const visits = visitors.map((visitor) => visitor.stay(closing.signal));
  await delay(300 + below(200));
  if (isLate) {
    walk.hangUp();
    await delay(2 + below(12));
  }
  await instances[index]?.stop('SIGKILL');
  const again = await start();
  closing.abort();
  const broken = await Promise.all(visits);
  instances[index] = again;
  return broken.filter((action) => action !== undefined);
}

describeWalk('kill -9 amid all that clients do', () => {
  it('leaves each request that broke off done whole or not at all, and everything else as it was answered', async () => {
    const alone = new ShopVisitor(walk, below, { name: 'alone', category: '100', isAlone: true });
    const visitors = Array.from({ length: CLIENTS }, (_, at) => new ShopVisitor(walk, below, { name: `${at}`, category: `${200 + at}`, isAlone: false, at }));
    const outcomes: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let step = 0; step < 60; step += 1) await alone.step();
      const broken = await killAmid(visitors, round % INSTANCES, round >= ROUNDS / 2);
      expect(broken.length).toBeGreaterThanOrEqual(CLIENTS / INSTANCES);
      for (const action of broken) outcomes.push(await settle(walk, action));
      await walk.checkEverything();
      // A client sends again what it does not know the outcome of.
      for (const action of broken) if ('idempotencyKey' in action) await walk.perform(action);
      await walk.checkEverything();
    }
    expect(outcomes).toEqual(expect.arrayContaining(['done', 'not done']));
  }, TIMEOUT_MS);
});
