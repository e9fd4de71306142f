import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseUrl, makeFolder, onPostgres, onSharedServer, PATIENT } from '../support/databases.js';
import { queryDatabase, removeDatabase } from '../support/databases.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { type EventBody, exactJson, FeedReader } from '../support/feed-reader.js';
import { JSON_TYPE } from '../support/http.js';
import { insertKey } from '../support/insert-key.js';
import { random } from '../support/random.js';
import { RedisServer } from '../support/servers/redis-server.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import type { Action } from '../support/fuzz/actions.js';
import { resolveOutcome } from '../support/fuzz/unknown-outcomes.js';
import { FuzzClient } from '../support/fuzz/fuzz-client.js';
import { SEED, FuzzRun } from '../support/fuzz/fuzz-run.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** SQLite serves one instance; on PostgreSQL several share the database, and the version of their caches through Redis. */
const INSTANCES = onPostgres ? 2 : 1;
const describeFuzz = onPostgres ? describeWithRedis : describe;

/** A database that is slow on a busy machine is not what this tests. */
const CLIENTS = 16;
const MIN_ROUNDS = 4;
/** The moment of a kill is random: rounds are added until one lost request took effect, and another did not. */
const MAX_ROUNDS = 20;
const TIMEOUT_MS = 600_000;

const below = random(SEED);
const folder = makeFolder();
const instances: ServiceProcess[] = [];
const ports = () => instances.map(({ port }) => port);
const receiver = new WebhookReceiver();
let redis: RedisServer | undefined;
let keys: string[];
let run: FuzzRun;
let start: () => Promise<ServiceProcess>;

beforeAll(async () => {
  redis = onPostgres ? await RedisServer.start() : undefined;
  if (onPostgres) await onSharedServer(folder).createEmpty();
  await receiver.start();
  const url = databaseUrl(folder);
  start = () => startProcess({ folder, env: { ...PATIENT, DATABASE_URL: url, ...receiver.env, ...redis?.env } });
  instances.push(...(await Promise.all(Array.from({ length: INSTANCES }, start))));
  keys = [await insertKey(url, 'one'), await insertKey(url, 'another')].map(({ key }) => key);
  await queryDatabase(folder, `UPDATE "api_keys" SET "scopes" = "scopes" || ' webhooks:manage'`);
  run = new FuzzRun(ports, keys);
});
afterAll(async () => {
  run.closeConnections();
  for (const instance of instances) await instance.stop('SIGKILL');
  await redis?.stop();
  receiver.stop();
  await removeDatabase(folder);
});

/** Of each subject, in their order. */
function told(events: readonly Pick<EventBody, 'subject' | 'type' | 'data'>[]) {
  const parts = events.map(({ subject, type, data }) => ({ subject, type, data }));
  return Map.groupBy(parts, ({ subject }) => subject);
}

/** Without that of the webhook, which is no change of the clients. */
const changesIn = (events: readonly EventBody[]) => events.filter(({ type }) => type !== 'webhook.created');

/** What the webhook got, without repetitions. */
function delivered(): EventBody[] {
  const known = new Set<string>();
  const arrived = receiver.at('/').map(({ body }) => exactJson(body) as EventBody);
  return arrived.filter(({ id }) => !known.has(id) && known.add(id));
}

async function addWebhook(): Promise<void> {
  const body = JSON.stringify({ url: `${receiver.address}/` });
  const headers = { ...JSON_TYPE, Authorization: `Bearer ${keys[0]}` };
  const response = await fetch(`${instances[0]?.origin}/v1/webhooks`, { method: 'POST', headers, body });
  expect(response.status).toBe(201);
}

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
    'leaves each interrupted request complete or without effect, keeps every acknowledged change, and tells each once, in order',
    async () => {
      await addWebhook();
      const ending = new AbortController();
      const readers = keys.map((key) => new FeedReader(key, ports));
      const reading = Promise.all(readers.map((reader) => reader.runUntil(ending.signal)));
      const alone = new FuzzClient(run, below, { name: 'alone', category: '100', isAlone: true });
      const clients = Array.from(
        { length: CLIENTS },
        (_, at) => new FuzzClient(run, below, { name: `${at}`, category: `${200 + at}`, isAlone: false, at }),
      );
      const outcomes: string[] = [];
      const hasBothOutcomes = () => outcomes.includes('done') && outcomes.includes('not done');
      let round = 0;
      for (; round < MAX_ROUNDS && (round < MIN_ROUNDS || !hasBothOutcomes()); round += 1) {
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

      ending.abort();
      await reading;
      for (const [as, reader] of readers.entries()) {
        await reader.readRest();
        expect(new Set(reader.events.map(({ id }) => id)).size).toBe(reader.events.length);
        const expected = run.model.eventsOf(as).map((event) => ({ ...event, data: exactJson(event.data) }));
        expect(told(changesIn(reader.events))).toEqual(told(expected));
      }
      // A process that was killed keeps its lease for up to 30 s.
      const feed = changesIn(readers[0]?.events ?? []);
      // To read them all takes long, so they are counted first.
      await until(() => receiver.at('/').length >= feed.length && changesIn(delivered()).length >= feed.length);
      expect(told(changesIn(delivered()))).toEqual(told(feed));
      // At most what is sent before it is recorded, by each process that was killed.
      expect(receiver.at('/').length - delivered().length).toBeLessThanOrEqual(round * 20);
    },
    TIMEOUT_MS,
  );
});
