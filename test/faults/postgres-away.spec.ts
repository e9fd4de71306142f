import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { Fleet, OPEN_TO_ANYBODY } from '../support/fleet.js';
import { ask } from '../support/http.js';
import { PostgresServer } from '../support/servers/postgres-server.js';
import { everyPet, lost, requestsOf, type Seen, Traffic } from '../support/traffic.js';
import { until } from '../support/until.js';

/** Low enough for a test to exhaust, but higher than the total pool size of the instances. */
const MAX_CONNECTIONS = 30;
const POOL_SIZE = '10';
const CLIENTS = 24;

/** The expected outcome of each kind of request while the database is available. */
const HEALTHY = ['create 201', 'list 200', 'unknown 401'];
const outcomesOf = (seen: readonly Seen[]) =>
  [...new Set(seen.map(({ kind, status }) => `${kind} ${status}`))].toSorted();
const isHealthy = (seen: readonly Seen[]) => outcomesOf(seen).join() === HEALTHY.join();

let server: PostgresServer;
let fleet: Fleet;
let key: string;
let traffic: Traffic | undefined;

beforeAll(async () => {
  server = await PostgresServer.start({ maxConnections: MAX_CONNECTIONS });
  fleet = await Fleet.start({ instances: 2, server, env: { DATABASE_POOL_SIZE: POOL_SIZE, ...OPEN_TO_ANYBODY } });
  ({ key } = await fleet.createKey('known'));
});
afterEach(() => traffic?.stop());
afterAll(() => fleet?.stop());

/** Connections that only the test uses. */
const hogs: Client[] = [];

/** Takes every connection of the server, including those of the instances, which try to reconnect meanwhile. */
async function useUpConnections(): Promise<void> {
  let ofInstances = 1;
  while (ofInstances > 0) {
    await Promise.all(Array.from({ length: MAX_CONNECTIONS }, hog));
    const [hogging] = hogs;
    const ended = await hogging?.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'",
    );
    ofInstances = ended?.rowCount ?? 1;
  }
}

async function hog(): Promise<void> {
  const client = new Client({ connectionString: fleet.databaseUrl });
  client.on('error', () => undefined);
  await client.connect().then(
    () => hogs.push(client),
    () => undefined,
  );
}

async function releaseConnections(): Promise<void> {
  await Promise.all(hogs.splice(0).map((client) => client.end()));
}

const FAULTS: {
  readonly what: string;
  readonly begin: () => Promise<void> | void;
  readonly end: () => Promise<void> | void;
}[] = [
  { what: 'killed', begin: () => server.kill(), end: () => server.restart() },
  { what: 'shut down', begin: () => server.shutDown(), end: () => server.restart() },
  { what: 'paused', begin: () => server.pause(), end: () => server.resume() },
  { what: 'out of connections', begin: useUpConnections, end: releaseConnections },
];

describe.each(FAULTS)('PostgreSQL $what', ({ begin, end }) => {
  it('makes requests that need it return 503 while it is away, keeps known keys admitted, and recovers', async () => {
    const unknown = generateApiKey('live');
    const going = new Traffic(() => fleet.ports, {
      ...requestsOf(key),
      unknown: () => ({ path: '/v1/pets', key: unknown }),
    });
    traffic = going;
    going.start(CLIENTS);
    /** Each client has sent two requests on average since then, and got a response. */
    const answeredSince = (ms: number) => until(() => going.since(ms).length >= 2 * CLIENTS);
    await until(() => isHealthy(going.seen));

    await begin();
    const awayMs = performance.now();
    await answeredSince(awayMs);
    const away = going.since(awayMs);
    const statuses = async (path: string) =>
      Promise.all(fleet.ports.map(async (port) => (await ask(port, { path })).status));
    expect([await statuses('/health/ready'), await statuses('/health/live')]).toEqual([
      [503, 503],
      [200, 200],
    ]);
    await end();
    await until(() => isHealthy(going.since(performance.now() - 500)));
    const healedMs = performance.now();
    await answeredSince(healedMs);
    await going.stop();

    expect(new Set(away.map(({ kind, status, code }) => `${kind} ${status} ${code}`))).toEqual(
      new Set(['list 503 service_unavailable', 'create 503 service_unavailable', 'unknown 503 service_unavailable']),
    );
    const refused = going.seen.filter(({ status }) => status === 503);
    expect(refused.filter(({ retryAfter }) => !/^[1-9][0-9]*$/.test(retryAfter ?? ''))).toEqual([]);
    // The service never rejects a valid key or returns another false response, even when the outage starts or ends.
    const known = going.seen.filter(({ kind }) => kind !== 'unknown');
    expect([...new Set(known.map(({ status }) => status))].toSorted()).toEqual([200, 201, 503]);
    expect(outcomesOf(going.since(healedMs))).toEqual(HEALTHY);
    expect(lost(going.created, await everyPet(fleet.ports[0] ?? 0, key))).toEqual([]);
  });
});
