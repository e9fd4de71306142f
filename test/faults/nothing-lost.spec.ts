import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Fleet } from '../support/fleet.js';
import type { Ask } from '../support/http.js';
import { Proxy } from '../support/proxy.js';
import { PostgresServer } from '../support/servers/postgres-server.js';
import type { ServiceProcess } from '../support/service-process.js';
import { everyPet, lost, requestsOf, Traffic } from '../support/traffic.js';
import { until } from '../support/until.js';

const ROUNDS = 2;
const CLIENTS = 24;
/** Which statements they interrupt is random: they go on until they have interrupted a list and a create. */
const MOST_TERMINATIONS = 1_500;
/** Idle sessions that hold the lock for creates. */
const HOLDERS = `SELECT FROM pg_stat_activity JOIN pg_locks USING (pid)
  WHERE locktype = 'advisory' AND granted AND application_name = 'petstore'
    AND state = 'idle in transaction' AND now() - state_change > interval '0.1 s'`;

let server: PostgresServer;
let fleet: Fleet;
let key: string;
const started: Traffic[] = [];

beforeAll(async () => {
  server = await PostgresServer.start();
  fleet = await Fleet.start({ instances: 3, server });
  ({ key } = await fleet.createKey('ample'));
});
afterEach(() => Promise.all(started.splice(0).map((traffic) => traffic.stop())));
afterAll(() => fleet?.stop());

/** Sends requests to all instances, or to some of them. */
function send(requests: Record<string, (count: number) => Ask>, clients = CLIENTS, ports = () => fleet.ports): Traffic {
  const traffic = new Traffic(ports, requests);
  traffic.start(clients);
  started.push(traffic);
  return traffic;
}

/** Waits until each client has created one more pet on average. */
function createdMore({ created }: Traffic): Promise<void> {
  const before = created.size;
  return until(() => created.size > before + CLIENTS);
}

const statusesOf = ({ seen }: Traffic) => [...new Set(seen.map(({ status }) => status))].toSorted((a, b) => a - b);

/** Expects each pet that was created, and no other under its name. */
async function expectAll(...all: readonly Traffic[]): Promise<void> {
  await Promise.all(all.map((traffic) => traffic.stop()));
  const pets = await everyPet(fleet.ports[0] ?? 0, key);
  expect(all.flatMap(({ created }) => lost(created, pets))).toEqual([]);
}

describe('kill -9 during concurrent creates', () => {
  it('of instances loses and duplicates no pet that returned 201', async () => {
    const traffic = send({ create: requestsOf(key).create });
    for (let round = 0; round < ROUNDS; round += 1) {
      await createdMore(traffic);
      const [victim] = fleet.instances;
      if (victim !== undefined) await fleet.retire(victim, 'SIGKILL');
      await fleet.launch();
    }
    await createdMore(traffic);
    expect(statusesOf(traffic)).toContain(0);
    await expectAll(traffic);
  });

  it('of PostgreSQL loses and duplicates no pet that returned 201, and returns none that does not exist', async () => {
    const traffic = send({ create: requestsOf(key).create });
    for (let round = 0; round < ROUNDS; round += 1) {
      await createdMore(traffic);
      await server.kill();
      const killedMs = performance.now();
      await until(() => traffic.since(killedMs).some(({ status }) => status === 503));
      await server.restart();
    }
    await createdMore(traffic);
    expect(statusesOf(traffic)).toEqual([201, 503]);
    await expectAll(traffic);
  });
});

describe('connections that PostgreSQL terminates at any time', () => {
  it('make requests return 503, and lose nothing', async () => {
    const traffic = send(requestsOf(key));
    const outcomes = () => new Set(traffic.seen.map(({ kind, status }) => `${kind} ${status}`));
    for (let n = 0; n < MOST_TERMINATIONS && outcomes().size < 4; n += 1) {
      await server.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore' AND random() < 0.5",
      );
      await delay(n % 40);
    }
    await createdMore(traffic);
    expect(outcomes()).toEqual(new Set(['list 200', 'create 201', 'list 503', 'create 503']));
    await expectAll(traffic);
  });
});

/** A create of several statements: an idempotent one stores its response in its transaction. */
function createOnce(): Ask {
  const request = requestsOf(key).create();
  return { ...request, headers: { ...request.headers, 'Idempotency-Key': randomUUID() } };
}

/** Pauses an instance while it holds a lock. */
async function hang(hung: ServiceProcess): Promise<void> {
  for (;;) {
    hung.signal('SIGSTOP');
    await delay(150);
    if ((await server.query(HOLDERS)).length > 0) return;
    hung.signal('SIGCONT');
    await delay(50);
  }
}

describe('an instance that hangs in the middle of its transactions', () => {
  it('blocks writes of the others briefly, and continues afterwards', async () => {
    const [hung, healthy] = fleet.instances as [ServiceProcess, ServiceProcess];
    const ofHung = send({ create: createOnce }, 16, () => [hung.port]);
    await createdMore(ofHung);
    await hang(hung);
    try {
      const ofHealthy = send({ create: createOnce }, CLIENTS, () => [healthy.port]);
      await createdMore(ofHealthy);
      await createdMore(ofHealthy);
      hung.signal('SIGCONT');
      await Promise.all([createdMore(ofHung), createdMore(ofHealthy)]);
      await expectAll(ofHung, ofHealthy);
      // Those that wait for the lock for too long are refused.
      expect([201, 503]).toEqual(expect.arrayContaining([...statusesOf(ofHung), ...statusesOf(ofHealthy)]));
    } finally {
      hung.signal('SIGCONT');
    }
  });
});

describe('a rolling restart under load', () => {
  it('fails no request', async () => {
    // Nothing informs the load balancer about the restarts.
    const proxy = await Proxy.start(() => fleet.ports);
    // Few enough clients for a busy machine.
    const traffic = send(requestsOf(key), 6, () => [proxy.port]);
    for (const old of fleet.instances.slice()) {
      await createdMore(traffic);
      await fleet.launch();
      expect((await old.stop('SIGTERM')).code).toBe(0);
      fleet.instances.splice(fleet.instances.indexOf(old), 1);
    }
    await createdMore(traffic);
    await expectAll(traffic);
    proxy.stop();
    expect(statusesOf(traffic)).toEqual([200, 201]);
  });
});
