import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Fleet } from '../support/fleet.js';
import { ask, JSON_TYPE } from '../support/http.js';

/** Maximum time that a client waits for a response. */
const PROMISED_MS = 4_000;
/** Margin for a busy machine. */
const MARGIN_MS = 5_000;

let fleet: Fleet;
let key: string;

beforeAll(async () => {
  fleet = await Fleet.start({ instances: 1 });
  ({ key } = await fleet.createKey('patient'));
  await slowDown(0);
  for (const when of ['BEFORE', 'AFTER'])
    await fleet.query(`CREATE TRIGGER slow_${when} ${when} INSERT ON pets EXECUTE FUNCTION slow()`);
});
afterAll(() => fleet?.stop());

/** Slows down each create twice. */
async function slowDown(seconds: number): Promise<void> {
  const body = `BEGIN PERFORM pg_sleep(${seconds}); RETURN NULL; END`;
  await fleet.query(`CREATE OR REPLACE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ ${body} $$`);
}

async function pets(): Promise<number> {
  const [row] = await fleet.query<{ pets: string }>('SELECT COUNT(*) AS "pets" FROM "pets"');
  return Number(row?.pets);
}

async function create() {
  const [port = 0] = fleet.ports;
  const beginMs = performance.now();
  const body = '{"name":"Bella","categoryId":1}';
  const { status } = await ask(port, { method: 'POST', path: '/v1/pets', key, headers: JSON_TYPE, body });
  return { status, tookMs: performance.now() - beginMs };
}

it('a create with slow statements that each end in time returns 201', async () => {
  await slowDown(0.5);
  const { status, tookMs } = await create();
  expect(status).toBe(201);
  expect(tookMs).toBeGreaterThan(1_000);
});

it('a create whose statements together take too long returns 503 in time and has no effect', async () => {
  const before = await pets();
  await slowDown(1.8);
  const { status, tookMs } = await create();
  expect(status).toBe(503);
  expect(tookMs).toBeLessThan(PROMISED_MS + MARGIN_MS);
  await slowDown(0);
  expect((await create()).status).toBe(201);
  expect(await pets()).toBe(before + 1);
});
