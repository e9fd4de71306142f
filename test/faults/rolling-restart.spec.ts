import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AMPLE_PLAN, Fleet } from '../support/fleet.js';
import { Proxy } from '../support/proxy.js';
import { everyPet, lost, requestsOf, Traffic } from '../support/traffic.js';

let fleet: Fleet;
let proxy: Proxy;
let key: string;
let traffic: Traffic;

beforeAll(async () => {
  fleet = await Fleet.start();
  ({ key } = await fleet.createKey('ample', ...AMPLE_PLAN));
  // Nothing informs the load balancer about the restarts.
  proxy = await Proxy.start(() => fleet.ports);
  traffic = new Traffic(() => [proxy.port], requestsOf(key));
});
afterEach(() => traffic.stop());
afterAll(async () => {
  proxy?.stop();
  await fleet?.stop();
});

describe('a rolling restart under load', () => {
  it('fails no request', async () => {
    // Few enough clients for a busy machine.
    traffic.start(6);
    await delay(500);
    const before = fleet.instances.slice();
    for (const old of before) {
      await fleet.launch();
      const { code } = await old.stop('SIGTERM');
      fleet.instances.splice(fleet.instances.indexOf(old), 1);
      expect(code).toBe(0);
      await delay(300);
    }
    await traffic.stop();
    expect(traffic.seen.filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);
    expect(traffic.created.size).toBeGreaterThan(50);
    expect(lost(traffic.created, await everyPet(proxy.port, key))).toEqual([]);
  });
});
