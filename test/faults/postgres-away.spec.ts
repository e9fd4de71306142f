import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { Fleet, OPEN_TO_ANYBODY } from '../support/fleet.js';
import { type Ask, ask } from '../support/http.js';
import { ConnectionHogs } from '../support/servers/connection-hogs.js';
import { PostgresServer } from '../support/servers/postgres-server.js';
import { isReady, type ServiceProcess } from '../support/service-process.js';
import { everyPet, lost, requestsOf, type Seen, Traffic } from '../support/traffic.js';
import { until } from '../support/until.js';

/** Low enough for a test to exhaust, but higher than the total pool size of the instances. */
const MAX_CONNECTIONS = 40;
const POOL_SIZE = '10';
const CLIENTS = 24;
const CHECK_INTERVAL_MS = 250;
/** Which statements they interrupt is random: they go on until they have interrupted a list and a create. */
const MOST_TERMINATIONS = 1_500;
/** Idle sessions that hold the lock for creates. */
const HOLDERS = `SELECT FROM pg_stat_activity JOIN pg_locks USING (pid)
  WHERE locktype = 'advisory' AND granted AND application_name = 'petstore'
    AND state = 'idle in transaction' AND now() - state_change > interval '0.1 s'`;
const TERMINATE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'";

/** The expected outcome of each kind of request while the database is available. */
const HEALTHY = ['create 201', 'list 200', 'unknown 401'];
const outcomesOf = (seen: readonly Seen[]) =>
  [...new Set(seen.map(({ kind, status }) => `${kind} ${status}`))].toSorted();
const isHealthy = (seen: readonly Seen[]) => outcomesOf(seen).join() === HEALTHY.join();

let server: PostgresServer;
let fleet: Fleet;
let hogs: ConnectionHogs;
let key: string;
const started: Traffic[] = [];

beforeAll(async () => {
  server = await PostgresServer.start({ maxConnections: MAX_CONNECTIONS });
  fleet = await Fleet.start({ instances: 2, server, env: { DATABASE_POOL_SIZE: POOL_SIZE, ...OPEN_TO_ANYBODY } });
  hogs = new ConnectionHogs(fleet.databaseUrl, MAX_CONNECTIONS);
  ({ key } = await fleet.createKey('known'));
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

const statusesOf = (seen: readonly Seen[]) => [...new Set(seen.map(({ status }) => status))].toSorted((a, b) => a - b);

/** Expects each pet that was created, and no other under its name. */
async function expectAll(...all: readonly Traffic[]): Promise<void> {
  await Promise.all(all.map((traffic) => traffic.stop()));
  const pets = await everyPet(fleet.ports[0] ?? 0, key);
  expect(all.flatMap(({ created }) => lost(created, pets))).toEqual([]);
}

describe('instances that start at once on an empty database', () => {
  it('run the migrations once, create neither keys nor pets, and all accept requests', async () => {
    const applied = await server.query<{ name: string }>('SELECT name FROM migrations', 'petstore');
    expect(applied.length).toBeGreaterThan(0);
    expect(new Set(applied.map(({ name }) => name)).size).toBe(applied.length);
    for (const { port, output } of fleet.instances) {
      expect(await (await ask(port, { path: '/v1/pets', key })).text()).toBe('[]');
      expect(output()).not.toContain('psk_');
    }
  });
});

const FAULTS: readonly { what: string; begin: () => Promise<void> | void; end: () => Promise<void> | void }[] = [
  { what: 'killed', begin: () => server.kill(), end: () => server.restart() },
  { what: 'shut down', begin: () => server.shutDown(), end: () => server.restart() },
  { what: 'paused', begin: () => server.pause(), end: () => server.resume() },
  { what: 'out of connections', begin: () => hogs.useUp(TERMINATE), end: () => hogs.release() },
];

const statusesAt = (path: string) => Promise.all(fleet.ports.map(async (port) => (await ask(port, { path })).status));

describe.each(FAULTS)('PostgreSQL $what', ({ begin, end }) => {
  it('makes requests that need it return 503 while it is away, keeps known keys admitted, and recovers', async () => {
    const unknown = generateApiKey('live');
    const going = send({ ...requestsOf(key), unknown: () => ({ path: '/v1/pets', key: unknown }) });
    /** Each client has sent two requests on average since then, and got a response. */
    const answeredSince = (ms: number) => until(() => going.since(ms).length >= 2 * CLIENTS);
    await until(() => isHealthy(going.seen));

    await begin();
    const awayMs = performance.now();
    await answeredSince(awayMs);
    const away = going.since(awayMs);
    expect([await statusesAt('/health/ready'), await statusesAt('/health/live')]).toEqual([
      [503, 503],
      [200, 200],
    ]);
    await end();
    await until(() => isHealthy(going.since(performance.now() - 500)));
    const healedMs = performance.now();
    await answeredSince(healedMs);
    await expectAll(going);

    expect(new Set(away.map(({ kind, status, code }) => `${kind} ${status} ${code}`))).toEqual(
      new Set(['list 503 service_unavailable', 'create 503 service_unavailable', 'unknown 503 service_unavailable']),
    );
    const refused = going.seen.filter(({ status }) => status === 503);
    expect(refused.filter(({ retryAfter }) => !/^[1-9][0-9]*$/.test(retryAfter ?? ''))).toEqual([]);
    // The service never rejects a valid key or returns another false response, even when the outage starts or ends.
    expect(statusesOf(going.seen.filter(({ kind }) => kind !== 'unknown'))).toEqual([200, 201, 503]);
    expect(outcomesOf(going.since(healedMs))).toEqual(HEALTHY);
  });
});

describe('connections that PostgreSQL terminates at any time', () => {
  it('make requests return 503, and lose nothing', async () => {
    const traffic = send(requestsOf(key));
    const outcomes = () => outcomesOf(traffic.seen);
    for (let n = 0; n < MOST_TERMINATIONS && outcomes().length < 4; n += 1) {
      await server.query(`${TERMINATE} AND random() < 0.5`);
      await delay(n % 40);
    }
    await createdMore(traffic);
    expect(outcomes()).toEqual(['create 201', 'create 503', 'list 200', 'list 503']);
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
      hung.signal('SIGCONT');
      await Promise.all([createdMore(ofHung), createdMore(ofHealthy)]);
      await expectAll(ofHung, ofHealthy);
      // Those that wait for the lock for too long are refused.
      expect([201, 503]).toEqual(expect.arrayContaining(statusesOf([...ofHung.seen, ...ofHealthy.seen])));
    } finally {
      hung.signal('SIGCONT');
    }
  });
});

describe('a rolling restart under load', () => {
  it('fails no request', async () => {
    // What a load balancer knows, which retries nothing and which nothing informs about the restarts.
    let ready = fleet.ports;
    const checks = setInterval(async () => {
      const { ports } = fleet;
      const areReady = await Promise.all(ports.map((port) => isReady(`http://127.0.0.1:${port}`)));
      ready = ports.filter((_, n) => areReady[n]);
    }, CHECK_INTERVAL_MS);
    // Few enough clients for a busy machine.
    const traffic = send(requestsOf(key), 6, () => ready);
    for (const old of fleet.instances.slice()) {
      await createdMore(traffic);
      await fleet.launch();
      expect((await old.stop('SIGTERM')).code).toBe(0);
      fleet.instances.splice(fleet.instances.indexOf(old), 1);
    }
    await createdMore(traffic);
    await expectAll(traffic);
    clearInterval(checks);
    expect(statusesOf(traffic.seen)).toEqual([200, 201]);
  });
});
