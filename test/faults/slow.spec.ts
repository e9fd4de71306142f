import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AMPLE_PLAN, Fleet } from '../support/fleet.js';
import { ask, JSON_TYPE } from '../support/http.js';

/** Less than a statement may take, and two of them more. */
const STATEMENT_SECONDS = 0.5;

let fleet: Fleet;
let key: string;

beforeAll(async () => {
  fleet = await Fleet.start({ instances: 1 });
  ({ key } = await fleet.createKey('patient', ...AMPLE_PLAN));
  await run(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(${STATEMENT_SECONDS}); RETURN NULL; END $$`);
  for (const table of ['pets', 'category_counts']) await run(`CREATE TRIGGER slow BEFORE INSERT ON ${table} EXECUTE FUNCTION slow()`);
});
afterAll(() => fleet?.stop());

const run = (sql: string) => fleet.postgres.query(sql, 'petstore');

it('a create whose statements are slow, but each done in time, is created', async () => {
  const [port = 0] = fleet.ports;
  const beginMs = performance.now();
  const created = await ask(port, { method: 'POST', path: '/v1/pets', key, headers: JSON_TYPE, body: '{"name":"Bella","categoryId":1}' });
  expect(created.status).toBe(201);
  expect(performance.now() - beginMs).toBeGreaterThan(2_000 * STATEMENT_SECONDS);
});
