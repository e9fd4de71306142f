import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { makeFolder, onPostgres, removeDatabase } from '../support/databases.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { AMPLE } from '../support/folders.js';
import { random } from '../support/random.js';
import { RedisServer } from '../support/servers/redis-server.js';
import { FuzzClient } from '../support/fuzz/fuzz-client.js';
import { SEED, FuzzRun } from '../support/fuzz/fuzz-run.js';

/** SQLite serves one instance; on PostgreSQL several share the database, and the version of their caches through Redis. */
const INSTANCES = onPostgres ? 2 : 1;
const describeFuzz = onPostgres ? describeWithRedis : describe;

/** The servers of a database take longer, and find what concurrent changes do. */
const MIN_ROUNDS = onPostgres ? 5 : 3;
const CONCURRENT_ROUNDS = onPostgres ? 3 : 2;
/** Some responses are rare: rounds are added until all of REQUIRED have come. */
const MAX_ROUNDS = 50;
const TIMEOUT_MS = 300_000;

/** Responses that every run has to include. */
const REQUIRED = [
  ...['200', 'pet_not_found', 'pet_in_order', 'invalid_status_transition', 'precondition_failed'].map(
    (outcome) => `change pets ${outcome}`,
  ),
  ...['200', 'order_not_found', 'invalid_status_transition', 'precondition_failed'].map(
    (outcome) => `change orders ${outcome}`,
  ),
  ...['201', 'pet_not_found', 'pet_not_available', 'idempotency_key_reused'].map(
    (outcome) => `create orders ${outcome}`,
  ),
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
let run: FuzzRun;

beforeAll(async () => {
  redis = onPostgres ? await RedisServer.start() : undefined;
  const first = await startApp({ folder, env: redis?.env ?? {} });
  instances.push(first);
  while (instances.length < INSTANCES) instances.push(await startApp({ folder, env: redis?.env ?? {} }));
  run = new FuzzRun(() => instances.map(({ port }) => port), [await first.key(AMPLE), await first.key(AMPLE)]);
});
afterAll(async () => {
  run.closeConnections();
  for (const instance of instances) await instance.stop({ keepData: true });
  await redis?.stop();
  await removeDatabase(folder);
});

const missing = () => REQUIRED.filter((kind) => !run.tally.has(kind));

async function take(steps: number, client: FuzzClient): Promise<void> {
  for (let step = 0; step < steps; step += 1) expect(await client.step()).toBeUndefined();
}

describeFuzz('a fuzz run of the catalogue and the store', () => {
  it(
    'returns the responses of the model, byte for byte, to thousands of requests',
    async () => {
      const client = new FuzzClient(run, below, { name: 'alone', category: '100', isAlone: true });
      for (let round = 0; round < MIN_ROUNDS || (round < MAX_ROUNDS && missing().length > 0); round += 1) {
        await take(200, client);
        await run.checkInvariants(20);
      }
      await run.checkInvariants();
      expect(missing()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'does so with many concurrent clients, each with its own pets',
    async () => {
      let orders = 0;
      for (let round = 0; round < CONCURRENT_ROUNDS; round += 1) {
        const clients = Array.from(
          { length: 10 },
          (_, n) => new FuzzClient(run, below, { name: `${round}-${n}`, category: `${200 + n}`, isAlone: false }),
        );
        await Promise.all(clients.map((client) => take(40, client)));
        await run.checkInvariants(20);
        orders += clients.flatMap(({ history }) => history.known.orders).length;
      }
      expect(orders).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
