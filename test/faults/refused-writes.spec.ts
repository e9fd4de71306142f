import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { Fleet } from '../support/fleet.js';
import { ask } from '../support/http.js';
import { requestsOf, Traffic } from '../support/traffic.js';
import { within } from '../support/until.js';

const LASTS_MS = 6_000;
const RECOVERY_MS = 2_000;
/** Maximum time that a client waits for a response, and a margin for a busy machine. */
const PROMISED_MS = 4_000 + 2_000;
/** How long readiness can take, and a margin. */
const READY_MS = 500 + 500;

let fleet: Fleet;
let key: string;
let client: Client;
let traffics: Traffic[] = [];

beforeAll(async () => {
  fleet = await Fleet.start({ instances: 1 });
  ({ key } = await fleet.createKey('ample'));
  client = new Client({ connectionString: fleet.databaseUrl });
  await client.connect();
});
const stopAll = () => Promise.all(traffics.map((traffic) => traffic.stop()));
afterEach(stopAll);
afterAll(async () => {
  await client?.end();
  await fleet?.stop();
});

async function run(sql: string): Promise<void> {
  for (const statement of sql.startsWith('CREATE') ? [sql] : sql.split('; ')) await client.query(statement);
}

const isHealthy = (statuses: readonly number[]) => statuses.length > 0 && statuses.every((status) => status < 300);

/** A trigger that refuses creates with an error of PostgreSQL. */
function refusing(name: string, message: string, code: string): string {
  return `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = '${code}'; END$$;
    CREATE TRIGGER ${name} BEFORE INSERT ON "pets" EXECUTE FUNCTION ${name}()`;
}

const FAULTS = [
  {
    what: 'whose disk is full',
    begin: refusing('full_disk', 'could not extend file: No space left on device', '53100'),
    end: 'DROP TRIGGER full_disk ON "pets"',
  },
  {
    what: 'that accepts no writes',
    begin: refusing('standby', 'cannot execute INSERT in a read-only transaction', '25006'),
    end: 'DROP TRIGGER standby ON "pets"',
  },
  {
    what: 'with a lock that writes wait for',
    begin: 'BEGIN; LOCK TABLE "pets" IN EXCLUSIVE MODE',
    end: 'ROLLBACK',
  },
] as const;

describe.each(FAULTS)('PostgreSQL $what', ({ begin, end }) => {
  it('makes only writes return 503 in time, stays ready, and accepts writes again soon', async () => {
    // Each list is another one, so none is cached. Creates that wait do not keep the reads from going on.
    let page = 0;
    const { create } = requestsOf(key);
    const read = () => ({ path: `/v1/pets?limit=5&after=${(page += 1)}`, key });
    traffics = [{ create }, { read }].map((requests) => new Traffic(() => fleet.ports, requests));
    for (const traffic of traffics) traffic.start(6);
    await run(begin);
    const fromMs = performance.now();
    await delay(LASTS_MS / 2);
    const [port = 0] = fleet.ports;
    const askedMs = performance.now();
    expect((await ask(port, { path: '/health/ready' })).status).toBe(200);
    expect(performance.now() - askedMs).toBeLessThan(READY_MS);
    await delay(LASTS_MS / 2);
    const untilMs = performance.now();
    await run(end);
    const seen = () => traffics.flatMap((traffic) => traffic.seen);
    const latest = () => {
      const sinceMs = performance.now() - 300;
      return seen().flatMap(({ startMs, status }) => (startMs >= sinceMs ? [status] : []));
    };
    expect(isHealthy((await within(RECOVERY_MS + 300, latest, isHealthy)).result)).toBe(true);
    await stopAll();

    const during = seen().filter(
      ({ startMs, tookMs }) => startMs + tookMs >= fromMs + 500 && startMs + tookMs < untilMs,
    );
    expect(new Set(during.map(({ kind, status }) => `${kind} ${status}`))).toEqual(new Set(['create 503', 'read 200']));
    const refused = seen().filter(({ status }) => status === 503);
    expect(refused.every(({ retryAfter }) => /^[1-9][0-9]*$/.test(retryAfter ?? ''))).toBe(true);
    expect(Math.max(...seen().map(({ tookMs }) => tookMs))).toBeLessThan(PROMISED_MS);
  });
});
