import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Folders } from '../support/folders.js';
import { ask } from '../support/http.js';
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

/** The fastest of several, which the machine disturbed least. */
async function fastest(times: number, send: () => Promise<Response>): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const beginMs = performance.now();
    expect((await send()).ok).toBe(true);
    took.push(performance.now() - beginMs);
  }
  return Math.min(...took);
}

describe('a slow network to PostgreSQL', () => {
  it('delays a create by one round trip, and fails no request', async () => {
    const tookMs = await fastest(20, () => ask(service.port, requestsOf(key).create()));
    expect(tookMs).toBeGreaterThan(ROUND_TRIP_MS);
    expect(tookMs).toBeLessThan(ROUND_TRIP_MS + MARGIN_MS);
  });

  it('delays readiness by one round trip', async () => {
    const tookMs = await fastest(20, () => ask(service.port, { path: '/health/ready' }));
    expect(tookMs).toBeLessThan(ROUND_TRIP_MS + MARGIN_MS);
  });
});
