import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AMPLE_PLAN, Fleet } from '../support/fleet.js';
import { everyPet, lost, requestsOf, Traffic } from '../support/traffic.js';

const TERMINATIONS = 150;
/**
 * Which statement a termination interrupts is random. The test continues until it has interrupted a list and a create.
 */
const MOST_TERMINATIONS = 1_500;

let fleet: Fleet;
let key: string;

beforeAll(async () => {
  fleet = await Fleet.start({ instances: 2 });
  ({ key } = await fleet.createKey('known', ...AMPLE_PLAN));
});
afterAll(() => fleet?.stop());

it('instances survive connections that PostgreSQL terminates at any time, and lose nothing', async () => {
  const traffic = new Traffic(() => fleet.ports, requestsOf(key));
  traffic.start(24);
  const outcomes = () => new Set(traffic.seen.map(({ kind, status }) => `${kind} ${status}`));
  for (let n = 0; n < TERMINATIONS || (n < MOST_TERMINATIONS && outcomes().size < 4); n += 1) {
    await fleet.postgres.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore' AND random() < 0.5",
    );
    await delay(n % 40);
  }
  await traffic.stop();
  expect(outcomes()).toEqual(new Set(['list 200', 'create 201', 'list 503', 'create 503']));
  const [port = 0] = fleet.ports;
  expect(lost(traffic.created, await everyPet(port, key))).toEqual([]);
});
