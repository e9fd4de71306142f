import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { Fleet, OPEN_TO_ANYBODY } from '../support/fleet.js';
import { ask } from '../support/http.js';
import { everyPet, lost, requestsOf, type Seen, Traffic } from '../support/traffic.js';
import { within, withinASecond } from '../support/until.js';

/** Low enough for a test to exhaust, but higher than the total pool size of the instances. */
const MAX_CONNECTIONS = 30;
const POOL_SIZE = '10';
/** Maximum time that a client waits for a response. */
const PROMISED_MS = 4_000;
/** Maximum time to recover. */
const RECOVERY_MS = 2_000;
const AWAY_MS = 9_000;
/** Margin for a busy machine. Short enough to detect a request that waits for the end of the outage. */
const MARGIN_MS = 3_000;

/** The expected outcome of each kind of request while the database is available. */
const HEALTHY = new Set(['create 201', 'list 200', 'unknown 401']);
const outcomesOf = (seen: readonly Seen[]) => new Set(seen.map(({ kind, status }) => `${kind} ${status}`));
const isHealthy = (seen: readonly Seen[]) => [...outcomesOf(seen)].toSorted().join() === [...HEALTHY].join();

let fleet: Fleet;
let key: string;
let traffic: Traffic | undefined;

beforeAll(async () => {
  fleet = await Fleet.start({
    instances: 2,
    maxConnections: MAX_CONNECTIONS,
    env: { DATABASE_POOL_SIZE: POOL_SIZE, ...OPEN_TO_ANYBODY },
  });
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
  { what: 'killed', begin: () => fleet.postgres.kill(), end: () => fleet.postgres.restart() },
  { what: 'shut down', begin: () => fleet.postgres.shutDown(), end: () => fleet.postgres.restart() },
  { what: 'paused', begin: () => fleet.postgres.pause(), end: () => fleet.postgres.resume() },
  { what: 'out of connections', begin: useUpConnections, end: releaseConnections },
];

describe.each(FAULTS)('PostgreSQL $what', ({ begin, end }) => {
  it('makes requests that need it return 503 in time, keeps known keys admitted, and recovers soon', async () => {
    const unknown = generateApiKey('live');
    const going = new Traffic(() => fleet.ports, {
      ...requestsOf(key),
      unknown: () => ({ path: '/v1/pets', key: unknown }),
    });
    traffic = going;
    traffic.start(24);
    await delay(1_000);
    expect(outcomesOf(traffic.seen)).toEqual(HEALTHY);

    await begin();
    const awayMs = performance.now();
    await delay(AWAY_MS / 2);
    const ready = await Promise.all(fleet.instances.map(({ port }) => ask(port, { path: '/health/ready' })));
    const live = await Promise.all(fleet.instances.map(({ port }) => ask(port, { path: '/health/live' })));
    await delay(AWAY_MS / 2);
    const endMs = performance.now();
    await end();
    const latest = () => going.since(performance.now() - 500);
    expect(outcomesOf((await within(RECOVERY_MS, latest, isHealthy)).result)).toEqual(HEALTHY);
    const healedMs = performance.now();
    await delay(1_000);
    await traffic.stop();

    expect([...ready, ...live].map(({ status }) => status)).toEqual([503, 503, 200, 200]);
    const away = traffic.since(awayMs, endMs - PROMISED_MS - MARGIN_MS);
    expect(new Set(away.map(({ kind, status, code }) => `${kind} ${status} ${code}`))).toEqual(
      new Set(['list 503 service_unavailable', 'create 503 service_unavailable', 'unknown 503 service_unavailable']),
    );
    const refused = traffic.seen.filter(({ status }) => status === 503);
    expect(refused.filter(({ retryAfter }) => !/^[1-9][0-9]*$/.test(retryAfter ?? ''))).toEqual([]);
    expect(Math.max(...traffic.seen.map(({ tookMs }) => tookMs))).toBeLessThan(PROMISED_MS + MARGIN_MS);
    // The service never rejects a valid key or returns another false response, even when the outage starts or ends.
    const known = traffic.seen.filter(({ kind }) => kind !== 'unknown');
    expect([...new Set(known.map(({ status }) => status))].toSorted()).toEqual([200, 201, 503]);
    expect(outcomesOf(traffic.since(healedMs))).toEqual(HEALTHY);

    const [port = 0] = fleet.ports;
    expect(lost(traffic.created, await everyPet(port, key))).toEqual([]);
  });
});

describe('without Redis', () => {
  it('the keys command line works', async () => {
    await fleet.redis.kill();
    const made = await fleet.createKey('without redis', '--plan', 'free');
    expect(await fleet.keys('list')).toMatchObject({ code: 0, stdout: expect.stringContaining(made.id) });
    expect(await fleet.keys('revoke', made.id)).toMatchObject({ code: 0 });
    const codes = () =>
      Promise.all(
        fleet.ports.map(async (port) => {
          const response = await ask(port, { path: '/v1/pets', key: made.key });
          return ((await response.json()) as { code?: string }).code;
        }),
      );
    const { result } = await withinASecond(codes, (found) => found.every((code) => code === 'api_key_revoked'));
    expect(result).toEqual(['api_key_revoked', 'api_key_revoked']);
    await fleet.redis.restart();
  });
});
