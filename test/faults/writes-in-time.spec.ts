import { Agent } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { Fleet } from '../support/fleet.js';
import { type Ask, ask } from '../support/http.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { shareFolder } from '../support/share-folder.js';
import { SlowLink } from '../support/slow-link.js';
import { requestsOf, type Seen, Traffic } from '../support/traffic.js';
import { until } from '../support/until.js';

/** More creates than an instance runs concurrent transactions. */
const CREATES = 300;
/** Requests of each kind that are answered during a fault. */
const ENOUGH = 12;

/** Three round trips, which a check on a new connection takes, end within the time that readiness has. */
const DELAY_MS = 60;
const ROUND_TRIP_MS = 2 * DELAY_MS;
const TIMES = 10;

let fleet: Fleet;
let port: number;
let key: string;
let holder: Client;
const traffics: Traffic[] = [];

beforeAll(async () => {
  fleet = await Fleet.start({ instances: 1 });
  [port = 0] = fleet.ports;
  ({ key } = await fleet.createKey('ample'));
  holder = new Client({ connectionString: fleet.databaseUrl });
  await holder.connect();
});
afterEach(() => Promise.all(traffics.splice(0).map((traffic) => traffic.stop())));
afterAll(async () => {
  await holder?.end();
  await fleet?.stop();
});

/** A trigger that refuses creates with an error of PostgreSQL. */
const refusing = (name: string, message: string, code: string) => ({
  begin: `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = '${code}'; END$$;
    CREATE TRIGGER ${name} BEFORE INSERT ON "pets" EXECUTE FUNCTION ${name}()`,
  end: `DROP TRIGGER ${name} ON "pets"`,
});

const FAULTS = [
  { what: 'whose disk is full', ...refusing('full_disk', 'could not extend file: No space left on device', '53100') },
  {
    what: 'that accepts no writes',
    ...refusing('standby', 'cannot execute INSERT in a read-only transaction', '25006'),
  },
  {
    what: 'with a lock that writes wait for',
    begin: 'BEGIN; LOCK TABLE "pets" IN EXCLUSIVE MODE',
    end: 'ROLLBACK',
  },
];

const since = (ms: number) => traffics.flatMap((traffic) => traffic.since(ms));
const tally = (seen: readonly Seen[]) => new Set(seen.map(({ kind, status }) => `${kind} ${status}`));
const isHealthy = (seen: readonly Seen[]) => seen.length > ENOUGH && seen.every(({ status }) => status < 300);

describe.each(FAULTS)('PostgreSQL $what', ({ begin, end }) => {
  it('makes only writes return 503, stays ready, and accepts writes again', async () => {
    // Each list is another one, so none is cached. Creates that wait do not keep the reads from going on.
    const { create, list: read } = requestsOf(key);
    for (const requests of [{ create }, { read }]) traffics.push(new Traffic(() => [port], requests));
    for (const traffic of traffics) traffic.start(6);
    await until(() => tally(since(0)).size === 2);
    await holder.query(begin);
    const fromMs = performance.now();
    await until(() => traffics.every((traffic) => traffic.since(fromMs).length >= ENOUGH));
    const during = since(fromMs);
    expect((await ask(port, { path: '/health/ready' })).status).toBe(200);
    await holder.query(end);
    await until(() => isHealthy(traffics[0]?.since(performance.now() - 300) ?? []));
    expect(tally(during)).toEqual(new Set(['create 503', 'read 200']));
    expect(during.filter(({ status, retryAfter }) => status === 503 && !/^[1-9]\d*$/.test(retryAfter ?? ''))).toEqual(
      [],
    );
  });
});

describe('a locked table', () => {
  it('makes any number of waiting requests return 503 while it is locked, and none after it is unlocked', async () => {
    const agent = new Agent({ keepAlive: true });
    const createMany = async () => {
      const requests = Array.from({ length: CREATES }, () => ask(port, requestsOf(key).create(), agent));
      return new Set((await Promise.all(requests)).map(({ status }) => status));
    };
    expect(await createMany()).toEqual(new Set([201]));
    await holder.query('BEGIN; LOCK TABLE "pets" IN ACCESS EXCLUSIVE MODE');
    for (let wave = 0; wave < 2; wave++) expect(await createMany()).toEqual(new Set([503]));
    await holder.query('ROLLBACK');
    expect(await createMany()).toEqual(new Set([201]));
    agent.destroy();
  });
});

/** Slows down each create twice. */
async function slowDown(seconds: number): Promise<void> {
  const body = `BEGIN PERFORM pg_sleep(${seconds}); RETURN NULL; END`;
  await holder.query(`CREATE OR REPLACE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ ${body} $$`);
}
const create = async () => (await ask(port, requestsOf(key).create())).status;
const pets = async () => (await fleet.query('SELECT FROM "pets"')).length;

describe('a create with slow statements', () => {
  it('returns 201 if each ends in time, and 503 without effect if together they take too long', async () => {
    await slowDown(0.5);
    for (const when of ['BEFORE', 'AFTER'])
      await holder.query(`CREATE TRIGGER slow_${when} ${when} INSERT ON pets EXECUTE FUNCTION slow()`);
    expect(await create()).toBe(201);
    const before = await pets();
    await slowDown(1.8);
    expect(await create()).toBe(503);
    await slowDown(0);
    expect(await create()).toBe(201);
    expect(await pets()).toBe(before + 1);
    await holder.query('DROP FUNCTION slow CASCADE');
  });
});

describe('a slow network to PostgreSQL', () => {
  const folder = shareFolder();
  let link: SlowLink;
  let far: ServiceProcess;

  beforeAll(async () => {
    const url = new URL(fleet.databaseUrl);
    link = await SlowLink.to(Number(url.port), DELAY_MS);
    url.port = String(link.address);
    far = await startProcess({ folder, env: { DATABASE_URL: url.href } });
  });
  afterAll(async () => {
    await far.stop('SIGKILL');
    link.stop();
  });

  /**
   * The statuses of a request that is sent several times, and until the machine is not too busy for a response within a time,
   * and the shortest time.
   */
  async function timed(request: Ask, mostMs: number): Promise<{ statuses: number[]; fastestMs: number }> {
    const statuses: number[] = [];
    let fastestMs = Infinity;
    await until(async () => {
      const beginMs = performance.now();
      const { status } = await ask(far.port, request);
      statuses.push(status);
      if (status < 300) fastestMs = Math.min(fastestMs, performance.now() - beginMs);
      return statuses.length >= TIMES && fastestMs < mostMs;
    });
    return { statuses, fastestMs };
  }

  it('delays a create by the round trips of its transaction, and fails no request', async () => {
    // BEGIN, the pets, their events, and COMMIT.
    const { statuses, fastestMs } = await timed(requestsOf(key).create(), 5 * ROUND_TRIP_MS);
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(fastestMs).toBeGreaterThan(ROUND_TRIP_MS);
  });

  // A check that needs another connection takes three round trips: on a machine that stalls as well, it can exceed its limit.
  it('delays readiness by one round trip', async () => {
    const { fastestMs } = await timed({ path: '/health/ready' }, 2 * ROUND_TRIP_MS);
    expect(fastestMs).toBeGreaterThan(ROUND_TRIP_MS);
  });
});
