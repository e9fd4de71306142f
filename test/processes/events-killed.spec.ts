import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseUrl, makeFolder, onPostgres, onSharedServer, PATIENT } from '../support/databases.js';
import { queryDatabase, removeDatabase } from '../support/databases.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { ChangeLedger, type EventBody, firstArrivals, orderOfSubjects } from '../support/events/change-ledger.js';
import { ChangingClient } from '../support/events/changing-client.js';
import { FeedReader } from '../support/events/feed-reader.js';
import { insertKey } from '../support/insert-key.js';
import { random } from '../support/random.js';
import { RedisServer } from '../support/servers/redis-server.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { until } from '../support/until.js';
import { webhookSettings } from '../support/webhook-settings.js';

/** SQLite serves one instance. */
const INSTANCES = onPostgres ? 2 : 1;
const describeKilled = onPostgres ? describeWithRedis : describe;
const CLIENTS = 6;
/** More for a longer run by hand. */
const KILLS = Number(process.env['KILLS'] ?? 4);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_126);
const SCOPES =
  'pets:read pets:write categories:read categories:write orders:read orders:write events:read keys:manage webhooks:manage';

const below = random(SEED);
const folder = makeFolder();
const instances: ServiceProcess[] = [];
const ports = () => instances.map(({ port }) => port);
const received: EventBody[] = [];
const arrived = new Set<string>();
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const event = JSON.parse(Buffer.concat(chunks).toString()) as EventBody;
    received.push(event);
    arrived.add(event.id);
    response.writeHead(204).end();
  });
});
let redis: RedisServer | undefined;
let start: () => Promise<ServiceProcess>;
let key: string;

beforeAll(async () => {
  redis = onPostgres ? await RedisServer.start() : undefined;
  if (onPostgres) await onSharedServer(folder).createEmpty();
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const url = databaseUrl(folder);
  const env = {
    ...PATIENT,
    DATABASE_URL: url,
    ...webhookSettings((receiver.address() as AddressInfo).port),
    ...redis?.env,
  };
  start = () => startProcess({ folder, env });
  instances.push(...(await Promise.all(Array.from({ length: INSTANCES }, start))));
  ({ key } = await insertKey(url));
  await queryDatabase(folder, `UPDATE "api_keys" SET "scopes" = '${SCOPES}'`);
});
afterAll(async () => {
  receiver.close().closeAllConnections();
  for (const instance of instances) await instance.stop('SIGKILL');
  await redis?.stop();
  await removeDatabase(folder);
});

describeKilled('kill -9 of instances that append, list and deliver events', () => {
  it('leaves one event for each change, in order, in the feed and at the webhook', async () => {
    const made = await fetch(`${instances[0]?.origin}/v1/webhooks`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` }),
    });
    expect(made.status).toBe(201);
    const ledger = new ChangeLedger();
    const ending = new AbortController();
    const reader = new FeedReader(key, ports);
    const clients = Array.from(
      { length: CLIENTS },
      (_, at) => new ChangingClient(`client ${at}`, key, ports, ledger, below),
    );
    const running = Promise.all(clients.map((client) => client.runUntil(ending.signal)));
    const reading = reader.runUntil(ending.signal);
    for (let kill = 0; kill < KILLS; kill += 1) {
      await delay(700 + below(600));
      const index = kill % INSTANCES;
      await instances[index]?.stop('SIGKILL');
      instances[index] = await start();
    }
    ending.abort();
    await Promise.all([running, reading]);
    await reader.readRest();
    // Of the webhook itself: it is no change of a client.
    const feed = reader.events.filter(({ type }) => type !== 'webhook.created');
    const ids = new Set(feed.map(({ id }) => id));
    expect(ids.size).toBe(feed.length);
    expect(ledger.faultsOf(feed)).toEqual([]);

    // A process that was killed keeps its lease for up to 30 s.
    await until(() => [...ids].every((id) => arrived.has(id)));
    const delivered = firstArrivals(received).filter(({ type }) => type !== 'webhook.created');
    expect(orderOfSubjects(delivered)).toEqual(orderOfSubjects(feed));
    const repeated = received.length - arrived.size;
    const figures = { KILLS, changes: ledger.size, unknown: ledger.unknowns, events: feed.length, repeated };
    if (process.env['KILLS'] !== undefined) process.stdout.write(`${JSON.stringify(figures)}\n`);
    // At most what is sent before it is recorded, by each process that was killed.
    expect(repeated).toBeLessThanOrEqual(KILLS * 20);
  }, 3_600_000);
});
