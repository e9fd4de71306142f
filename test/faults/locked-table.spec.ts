import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { Fleet } from '../support/fleet.js';
import { ask } from '../support/http.js';
import { requestsOf } from '../support/traffic.js';

/** Maximum time that a client waits for a response. */
const PROMISED_MS = 4_000;
/** Margin for a busy machine and many concurrent requests. The lock is held until the test ends it. */
const MARGIN_MS = 10_000;
/** More creates than an instance runs concurrent transactions. */
const CREATES = 700;

const agent = new Agent({ keepAlive: true });
let fleet: Fleet;
let key: string;

beforeAll(async () => {
  fleet = await Fleet.start({ instances: 1 });
  ({ key } = await fleet.createKey('ample'));
});
afterAll(() => {
  agent.destroy();
  return fleet?.stop();
});

/** Sends many concurrent creates. Returns their responses and the duration of the slowest one. */
async function createMany() {
  const [port = 0] = fleet.ports;
  const beginMs = performance.now();
  const responses = await Promise.all(
    Array.from({ length: CREATES }, () => ask(port, requestsOf(key).create(), agent)),
  );
  return { statuses: new Set(responses.map(({ status }) => status)), tookMs: performance.now() - beginMs };
}

describe('a locked table', () => {
  it('makes any number of waiting requests return 503 in time, and none after it is unlocked', async () => {
    expect((await createMany()).statuses).toEqual(new Set([201]));
    const holder = new Client({ connectionString: fleet.databaseUrl });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE "pets" IN ACCESS EXCLUSIVE MODE');
    for (let wave = 0; wave < 2; wave++) {
      const { statuses, tookMs } = await createMany();
      expect(statuses).toEqual(new Set([503]));
      expect(tookMs).toBeLessThan(PROMISED_MS + MARGIN_MS);
    }
    await holder.end();
    expect((await createMany()).statuses).toEqual(new Set([201]));
  });
});
