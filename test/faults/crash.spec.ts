import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AMPLE_PLAN, Fleet } from '../support/fleet.js';
import { everyPet, lost, requestsOf, Traffic } from '../support/traffic.js';
import { until } from '../support/until.js';

const ROUNDS = 3;
const CLIENTS = 24;

let fleet: Fleet;
let key: string;
let traffic: Traffic;

beforeAll(async () => {
  fleet = await Fleet.start({ instances: 3 });
  ({ key } = await fleet.createKey('ample', ...AMPLE_PLAN));
});
afterEach(() => traffic.stop());
afterAll(() => fleet?.stop());

/** Runs clients that create pets while it calls a function several times. */
async function creatingWhile(doing: (round: number) => Promise<void>): Promise<void> {
  const { create } = requestsOf(key);
  traffic = new Traffic(() => fleet.ports, { create });
  traffic.start(CLIENTS);
  for (let round = 0; round < ROUNDS; round += 1) {
    // Wait until the clients are active.
    await createdMore();
    await doing(round);
  }
  await createdMore();
  await traffic.stop();
}

/** Waits until each client has created one pet on average. */
function createdMore(): Promise<void> {
  const before = traffic.created.size;
  return until(() => traffic.created.size > before + CLIENTS);
}

const everything = async () => everyPet(fleet.ports[0] ?? 0, key);

describe('kill -9 during concurrent creates', () => {
  it('of instances loses and duplicates no pet that returned 201', async () => {
    await creatingWhile(async () => {
      const [victim] = fleet.instances;
      if (victim !== undefined) await fleet.retire(victim, 'SIGKILL');
      await fleet.launch();
    });
    expect(traffic.seen.some(({ status }) => status === 0)).toBe(true);
    expect(lost(traffic.created, await everything())).toEqual([]);
  });

  it('of PostgreSQL loses and duplicates no pet that returned 201, and returns none that does not exist', async () => {
    await creatingWhile(async () => {
      await fleet.postgres.kill();
      const killedMs = performance.now();
      await until(() => traffic.since(killedMs).some(({ status }) => status === 503));
      await fleet.postgres.restart();
    });
    expect([...new Set(traffic.seen.map(({ status }) => status))].toSorted()).toEqual([201, 503]);
    expect(lost(traffic.created, await everything())).toEqual([]);
  });
});
