import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Folders } from '../support/folders.js';
import { type Ask, ask } from '../support/http.js';
import { AMPLE_PLAN } from '../support/fleet.js';
import { PostgresServer } from '../support/servers/postgres-server.js';
import { runKeys, runProgram, type ServiceProcess, startProcess } from '../support/service-process.js';
import { SlowLink } from '../support/slow-link.js';
import { requestsOf } from '../support/traffic.js';

const DELAY_MS = 40;
const ROUND_TRIP_MS = 2 * DELAY_MS;
/** Of a busy machine. */
const MARGIN_MS = 60;

const folders = new Folders();
let server: PostgresServer;
let link: SlowLink;
let service: ServiceProcess;
let key: string;

beforeAll(async () => {
  server = await PostgresServer.start({ fsync: false });
  const url = new URL(await server.createDatabase('petstore'));
  await runProgram('migrate.cli.js', [], { folder: folders.make(), env: { DATABASE_URL: url.href } });
  link = await SlowLink.to(Number(url.port), DELAY_MS);
  url.port = String(link.address);
  const options = { folder: folders.make(), env: { DATABASE_URL: url.href } };
  service = await startProcess(options);
  const made = await runKeys(['create', '--account', 'far', ...AMPLE_PLAN, '--json'], options);
  ({ key } = JSON.parse(made.stdout) as { key: string });
});
afterAll(async () => {
  await service?.stop();
  link?.stop();
  await server.stop();
  await folders.remove();
});

interface Timed {
  readonly status: number;
  readonly tookMs: number;
}

async function timed(times: number, request: Ask): Promise<Timed[]> {
  const responses: Timed[] = [];
  for (let n = 0; n < times; n += 1) {
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
    const responses = await timed(20, requestsOf(key).create());
    expect(responses.map(({ status }) => status)).toEqual(Array<number>(20).fill(201));
    expect(fastestMs(responses, 201)).toBeGreaterThan(ROUND_TRIP_MS);
    expect(fastestMs(responses, 201)).toBeLessThan(ROUND_TRIP_MS + MARGIN_MS);
  });

  // A check that needs another connection takes three round trips: on a machine that stalls as well, it can exceed its limit.
  it('delays readiness by one round trip', async () => {
    const responses = await timed(20, { path: '/health/ready' });
    expect(fastestMs(responses, 200)).toBeGreaterThan(ROUND_TRIP_MS);
    expect(fastestMs(responses, 200)).toBeLessThan(ROUND_TRIP_MS + MARGIN_MS);
  });
});
