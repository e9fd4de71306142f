import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { describeWithRedis } from '../../../test/support/describe-with-redis.js';
import { block, count, eventually, LinkBench, TIMEOUT_MS } from '../../../test/support/link-bench.js';
import { within } from '../../../test/support/until.js';

const MARGIN_MS = 400;

describeWithRedis('the client of an unavailable Redis', () => {
  let bench: LinkBench;
  beforeEach(async () => {
    bench = await LinkBench.start();
  });
  afterEach(() => bench.stop());

  it('waits for the timeout once, then uses the fallback at once, and uses Redis again when it responds', async () => {
    const link = await bench.open();
    await count(link);
    bench.server.pause();
    const beginMs = performance.now();
    const calls = [count(link), count(link)];
    await delay(TIMEOUT_MS / 2);
    calls.push(count(link));
    let results: unknown;
    void Promise.all(calls).then((all) => (results = all));
    await within(TIMEOUT_MS / 2 + MARGIN_MS, () => results, Boolean);
    expect(results).toEqual(['alone', 'alone', 'alone']);
    expect(performance.now() - beginMs).toBeGreaterThan(TIMEOUT_MS / 2);
    expect(link.isUp).toBe(false);
    expect(count(link)).toBe('alone');
    await delay(300);
    bench.server.resume();
    await eventually(() => link.isUp);
    // These commands reached Redis after all; their replies are ignored.
    expect(await Promise.all([count(link), count(link, 'test:other', 7)])).toEqual([5, 7]);
    expect(link.fallbacks).toBe(4);
    expect(bench.logged).toEqual([
      'Redis is unavailable; using local counters: Command timed out',
      'Redis is available again; using its counters: ',
    ]);
  });

  it('uses Redis again within two seconds of a long silence, without leaking connections', async () => {
    const link = await bench.open();
    bench.server.pause();
    expect(await count(link)).toBe('alone');
    await delay(4_000);
    bench.server.resume();
    await eventually(() => link.isUp);
    expect(await bench.statistic('total_connections_received')).toBeLessThan(10);
    // The first command reached Redis after all.
    expect(await count(link)).toBe(2);
  });

  it('uses Redis again soon after the event loop was blocked for a second', async () => {
    const link = await bench.open();
    const calls = Promise.all(Array.from({ length: 300 }, () => count(link)));
    setImmediate(() => block(1_000));
    await calls;
    await eventually(() => link.isUp);
    await delay(1_000);
    expect(await count(link)).toEqual(expect.any(Number));
    expect(bench.logged.length).toBeLessThanOrEqual(2);
  });

  it('notices a silent Redis when it is asked to look, without any call', async () => {
    const link = await bench.open();
    bench.server.pause();
    link.refresh();
    await eventually(() => !link.isUp);
    expect(link.fallbacks).toBe(0);
  });

  it('starts while Redis is silent', async () => {
    bench.server.pause();
    const link = await bench.open();
    expect(count(link)).toBe('alone');
    bench.server.resume();
    await eventually(() => link.isUp);
  });
});
