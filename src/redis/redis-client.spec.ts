import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { describeWithRedis } from '../../test/support/describe-with-redis.js';
import { count, LinkBench } from '../../test/support/link-bench.js';
import { RedisServer } from '../testing/redis-server.js';

function block(durationMs: number): void {
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs);
}

describeWithRedis('the Redis client', () => {
  let bench: LinkBench;
  beforeEach(async () => {
    bench = await LinkBench.start();
  });
  afterEach(() => bench.stop());

  it('uses Redis from the start, and logs nothing', async () => {
    const link = await bench.open();
    expect(link.isUp).toBe(true);
    expect(await count(link)).toBe(1);
    expect(await count(link)).toBe(2);
    expect(bench.logged).toEqual([]);
  });

  it('sends all commands of one turn of the event loop in one write', async () => {
    const link = await bench.open();
    await count(link);
    const before = await bench.statistic('total_reads_processed');
    const responses = await Promise.all(Array.from({ length: 50 }, () => count(link)));
    // Reading the statistic and a check of the link take a few themselves.
    expect((await bench.statistic('total_reads_processed')) - before).toBeLessThan(8);
    expect(responses).toEqual(Array.from({ length: 50 }, (_, index) => index + 2));
  });

  it.each([100, 400])('does not mistake a blocked event loop for an unavailable Redis (%i ms)', async (lateMs) => {
    const link = await bench.open();
    for (let round = 0; round < 3; round++) {
      const responses = Promise.all(Array.from({ length: 300 }, () => count(link)));
      // Right after the write, so that a timer is due before the replies are read.
      setImmediate(() => block(lateMs));
      expect(await responses).not.toContain('alone');
    }
    expect(link.fallbacks).toBe(0);
    expect(bench.logged).toEqual([]);
  });

  it('continues after Redis lost its scripts or its data', async () => {
    const link = await bench.open();
    await count(link);
    await bench.server.call('SCRIPT', 'FLUSH');
    expect(await Promise.all([count(link), count(link)])).toEqual([2, 3]);
    await bench.server.call('FLUSHALL');
    expect(await Promise.all([count(link), count(link)])).toEqual([1, 2]);
    expect(link.fallbacks).toBe(0);
  });

  it('uses the password and the database of the URL', async () => {
    const closed = await RedisServer.start('--requirepass', 'p@ss/word');
    const link = await bench.open(`redis://:${encodeURIComponent('p@ss/word')}@127.0.0.1:${closed.port}/3`);
    expect(await count(link)).toBe(1);
    expect(String(await closed.call('INFO', 'keyspace'))).toMatch(/db3:keys=2/);
    for (const url of [
      `redis://:wrong@127.0.0.1:${closed.port}`,
      `redis://:p%40ss%2Fword@127.0.0.1:${closed.port}/99`,
    ]) {
      const refused = await bench.open(url);
      expect(count(refused)).toBe('alone');
    }
    await closed.stop();
    expect(bench.logged.slice(0, 2)).toEqual([
      expect.stringMatching(/NOAUTH|WRONGPASS/),
      expect.stringContaining('DB index is out of range'),
    ]);
  });
});
