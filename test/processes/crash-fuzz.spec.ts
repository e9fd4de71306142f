import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseUrl, makeFolder, onPostgres, onSharedServer, PATIENT, removeDatabase } from '../support/databases.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { insertKey } from '../support/insert-key.js';
import { random } from '../support/random.js';
import { RedisServer } from '../support/servers/redis-server.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import type { Action } from '../support/fuzz/actions.js';
import { resolveOutcome } from '../support/fuzz/unknown-outcomes.js';
import { FuzzClient } from '../support/fuzz/fuzz-client.js';
import { SEED, FuzzRun } from '../support/fuzz/fuzz-run.js';

/** SQLite serves one instance; on PostgreSQL several share the database, and the version of their caches through Redis. */
const INSTANCES = onPostgres ? 2 : 1;
const describeFuzz = onPostgres ? describeWithRedis : describe;

/** A database that is slow on a busy machine is not what this tests. */
const CLIENTS = 16;
const MIN_ROUNDS = 2;
/** The moment of a kill is random: rounds are added until one lost request took effect, and another did not. */
const MAX_ROUNDS = 20;
const TIMEOUT_MS = 300_000;

const below = random(SEED);
const folder = makeFolder();
const instances: ServiceProcess[] = [];
let redis: RedisServer | undefined;
let run: FuzzRun;
let start: () => Promise<ServiceProcess>;

beforeAll(async () => {
  redis = onPostgres ? await RedisServer.start() : undefined;
  if (onPostgres) await onSharedServer(folder).createEmpty();
  const url = databaseUrl(folder);
  start = () => startProcess({ folder, env: { ...PATIENT, DATABASE_URL: url, ...redis?.env } });
  instances.push(...(await Promise.all(Array.from({ length: INSTANCES }, start))));
  const keys = [await insertKey(url, 'one'), await insertKey(url, 'another')].map(({ key }) => key);
  run = new FuzzRun(() => instances.map(({ port }) => port), keys);
});
afterAll(async () => {
  run.closeConnections();
  for (const instance of instances) await instance.stop('SIGKILL');
  await redis?.stop();
  await removeDatabase(folder);
});

/**
 * Kills an instance under load, while the clients of the others continue. Returns the requests without a response.
 * @param disconnectedMs how long the clients are disconnected before, in which requests take effect without a response
 */
async function killAmid(clients: readonly FuzzClient[], index: number, disconnectedMs: number): Promise<Action[]> {
  const closing = new AbortController();
  const running = clients.map((client) => client.runUntil(closing.signal));
  await delay(300 + below(200));
  if (disconnectedMs > 0) {
    run.closeConnections();
    await delay(disconnectedMs);
  }
  await instances[index]?.stop('SIGKILL');
  const again = await start();
  closing.abort();
  const broken = await Promise.all(running);
  instances[index] = again;
  return broken.filter((action) => action !== undefined);
}

describeFuzz('kill -9 during a fuzz run', () => {
  it(
    'leaves each interrupted request complete or without effect, and keeps every acknowledged change',
    async () => {
      const alone = new FuzzClient(run, below, { name: 'alone', category: '100', isAlone: true });
      const clients = Array.from(
        { length: CLIENTS },
        (_, at) => new FuzzClient(run, below, { name: `${at}`, category: `${200 + at}`, isAlone: false, at }),
      );
      const outcomes: string[] = [];
      const hasBothOutcomes = () => outcomes.includes('done') && outcomes.includes('not done');
      for (let round = 0; round < MAX_ROUNDS && (round < MIN_ROUNDS || !hasBothOutcomes()); round += 1) {
        for (let step = 0; step < 40; step += 1) await alone.step();
        // Every other round, and longer each time, as a busy machine is slow to do what it has received.
        const disconnectedMs = round % 2 === 0 ? 0 : round * 10 + below(10);
        const broken = await killAmid(clients, round % INSTANCES, disconnectedMs);
        expect(broken.length).toBeGreaterThanOrEqual(CLIENTS / INSTANCES);
        for (const action of broken) outcomes.push(await resolveOutcome(run, action));
        // A client repeats a request whose outcome it does not know.
        for (const action of broken) if ('idempotencyKey' in action) await run.perform(action);
        await run.checkInvariants();
      }
      expect(outcomes).toEqual(expect.arrayContaining(['done', 'not done']));
    },
    TIMEOUT_MS,
  );
});
