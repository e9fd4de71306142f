import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { describeWithRedis } from '../../../test/support/describe-with-redis.js';
import { block, count, LinkBench, LONG_TIMEOUT_MS } from '../../../test/support/link-bench.js';
import { freePort } from '../../../test/support/servers/free-port.js';
import { RedisServer } from '../../../test/support/servers/redis-server.js';
import { SlowLink } from '../../../test/support/slow-link.js';
import { until } from '../../../test/support/until.js';

describeWithRedis('the Redis client', () => {
  let bench: LinkBench;
  beforeEach(async () => {
    bench = await LinkBench.start(LONG_TIMEOUT_MS);
  });
  afterEach(() => bench.stop());

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

  it('waits for a Redis that is slow by 20 ms', async () => {
    const slow = await SlowLink.to(bench.server.port, 10);
    const link = await bench.open(`redis://127.0.0.1:${slow.address}`);
    for (let round = 1; round <= 10; round++) {
      const beginMs = performance.now();
      expect(await count(link)).toBe(round);
      expect(performance.now() - beginMs).toBeGreaterThan(15);
    }
    expect(link.fallbacks).toBe(0);
    bench.closeLinks();
    slow.stop();
  });

  it('uses a server in cluster mode that has all keys, as an address that routes commands does', async () => {
    // The default port of the cluster bus is in the range of outgoing connections, one of which may use it.
    const bus = ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())];
    const server = await RedisServer.start(...bus);
    await server.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
    await until(async () => String(await server.call('CLUSTER', 'INFO')).includes('cluster_state:ok'));
    const read: unknown[] = [];
    const link = await bench.open(server.url, (client) => {
      for (const name of ['catalogue-version', 'keys-version{test:catalogue-version}'])
        client.readWithScripts(`test:${name}`, (value) => read.push(value));
    });
    for (const name of ['catalogue-version', 'keys-version{test:catalogue-version}'])
      await server.call('SET', `test:${name}`, 7);
    expect(await count(link)).toBe(1);
    expect(read).toEqual(['7', '7']);
    expect(bench.logged).toEqual([]);
    await server.stop();
  });

  it('selects no database unless the URL names one other than 0', async () => {
    await bench.server.call('ACL', 'SETUSER', 'default', '-select');
    const link = await bench.open(`${bench.server.url}/0`);
    expect(await count(link)).toBe(1);
    expect(bench.logged).toEqual([]);
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
