import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { makeFolder, onPostgres, removeDatabase } from '../support/databases.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { AMPLE } from '../support/folders.js';
import { random } from '../support/random.js';
import { RedisServer } from '../support/redis-server.js';
import { ShopVisitor } from '../support/shop-visitor.js';
import { SEED, ShopWalk } from '../support/shop-walk.js';

/** SQLite is for one instance; on PostgreSQL several share the database, and through Redis what they remember of it. */
const INSTANCES = onPostgres ? 2 : 1;
const describeWalk = onPostgres ? describeWithRedis : describe;

/** All instances and their clients share one thread here, so that waiting takes longer than where they run. */
const PATIENCE = { DATABASE_POOL_WAIT_MS: '10000', DATABASE_STATEMENT_TIMEOUT_MS: '10000' };
const TIMEOUT_MS = 120_000;

/** Answers that a walk is no good without. */
const INSTRUCTIVE = [
  ...['200', 'pet_not_found', 'pet_in_order', 'invalid_status_transition', 'precondition_failed'].map((outcome) => `change pets ${outcome}`),
  ...['200', 'order_not_found', 'invalid_status_transition', 'precondition_failed'].map((outcome) => `change orders ${outcome}`),
  ...['201', 'pet_not_found', 'pet_not_available', 'idempotency_key_reused'].map((outcome) => `create orders ${outcome}`),
  ...['201', 'category_exists'].map((outcome) => `create categories ${outcome}`),
  'create pets 201',
  'create pets idempotency_key_reused',
  'remove pets 204',
  'get pets 304',
  'list pets 304',
];

const folder = makeFolder();
const instances: TestApp[] = [];
const below = random(SEED);
let redis: RedisServer | undefined;
let walk: ShopWalk;

beforeAll(async () => {
  redis = onPostgres ? await RedisServer.start() : undefined;
  const first = await startApp({ folder, env: { ...PATIENCE, REDIS_URL: redis?.url ?? '' } });
  instances.push(first);
  while (instances.length < INSTANCES) instances.push(await startApp({ folder, env: { ...PATIENCE, REDIS_URL: redis?.url ?? '' } }));
  walk = new ShopWalk(() => instances.map(({ port }) => port), [await first.key(AMPLE), await first.key(AMPLE)]);
});
afterAll(async () => {
  walk.hangUp();
  for (const instance of instances) await instance.stop({ keepData: true });
  await redis?.stop();
  await removeDatabase(folder);
});

async function take(steps: number, visitor: ShopVisitor): Promise<void> {
  for (let step = 0; step < steps; step += 1) expect(await visitor.step()).toBeUndefined();
}

describeWalk('the catalogue and the store', () => {
  it('answer thousands of requests, byte for byte, as the rules read literally', async () => {
    const visitor = new ShopVisitor(walk, below, { name: 'alone', category: '100', isAlone: true });
    for (let round = 0; round < 10; round += 1) {
      await take(200, visitor);
      await walk.checkEverything(20);
    }
    await walk.checkEverything();
    expect(INSTRUCTIVE.filter((kind) => !walk.tally.has(kind))).toEqual([]);
  }, TIMEOUT_MS);

  it('do so when many clients come at once, each with animals of its own', async () => {
    for (let round = 0; round < 5; round += 1) {
      const visitors = Array.from({ length: 10 }, (_, n) => new ShopVisitor(walk, below, { name: `${round}-${n}`, category: `${200 + n}`, isAlone: false }));
      await Promise.all(visitors.map((visitor) => take(40, visitor)));
      await walk.checkEverything(20);
      expect(visitors.flatMap(({ memory }) => memory.met.orders).length).toBeGreaterThan(0);
    }
  }, TIMEOUT_MS);
});
