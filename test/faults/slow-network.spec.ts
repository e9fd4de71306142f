import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Ask, ask } from '../support/http.js';
import { insertKey } from '../support/insert-key.js';
import { EmptyDatabase } from '../support/servers/empty-database.js';
import { runProgram, type ServiceProcess, startProcess } from '../support/service-process.js';
import { SlowLink } from '../support/slow-link.js';
import { Folders } from '../support/temporary.js';
import { requestsOf } from '../support/traffic.js';

/** Three round trips, which a check on a new connection takes, end within the time that readiness has. */
const DELAY_MS = 60;
const ROUND_TRIP_MS = 2 * DELAY_MS;
const TIMES = 10;

const folders = new Folders();
let link: SlowLink;
let service: ServiceProcess;
let key: string;
let database: EmptyDatabase;

beforeAll(async () => {
  const folder = folders.make();
  database = await EmptyDatabase.create();
  await runProgram('migrate.cli.js', [], { folder, env: { DATABASE_URL: database.url } });
  ({ key } = await insertKey(database.url));
  const url = new URL(database.url);
  link = await SlowLink.to(Number(url.port), DELAY_MS);
  url.port = String(link.address);
  service = await startProcess({ folder, env: { DATABASE_URL: url.href } });
});
afterAll(async () => {
  await service?.stop();
  link?.stop();
  await database.remove();
  await folders.remove();
});

interface Timed {
  readonly status: number;
  readonly tookMs: number;
}

async function timed(request: Ask): Promise<Timed[]> {
  const responses: Timed[] = [];
  for (let n = 0; n < TIMES; n += 1) {
    const beginMs = performance.now();
    const { status } = await ask(service.port, request);
    responses.push({ status, tookMs: performance.now() - beginMs });
  }
  return responses;
}

/** The time of the response with `status` that the machine disturbed least. */
function fastestMs(responses: readonly Timed[], status: number): number {
  return Math.min(...responses.filter((response) => response.status === status).map(({ tookMs }) => tookMs));
}

describe('a slow network to PostgreSQL', () => {
  it('delays a create by one round trip, and fails no request', async () => {
    const responses = await timed(requestsOf(key).create());
    expect(responses.map(({ status }) => status)).toEqual(Array<number>(TIMES).fill(201));
    expect(fastestMs(responses, 201)).toBeGreaterThan(ROUND_TRIP_MS);
    expect(fastestMs(responses, 201)).toBeLessThan(2 * ROUND_TRIP_MS);
  });

  // A check that needs another connection takes three round trips: on a machine that stalls as well, it can exceed its limit.
  it('delays readiness by one round trip', async () => {
    const responses = await timed({ path: '/health/ready' });
    expect(fastestMs(responses, 200)).toBeGreaterThan(ROUND_TRIP_MS);
    expect(fastestMs(responses, 200)).toBeLessThan(2 * ROUND_TRIP_MS);
  });
});
