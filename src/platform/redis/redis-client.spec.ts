import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { describeWithRedis } from '../../../test/support/describe-with-redis.js';
import { block, count, LinkBench, LONG_TIMEOUT_MS } from '../../../test/support/link-bench.js';
import { freePort } from '../../../test/support/servers/free-port.js';
import { RedisServer } from '../../../test/support/servers/redis-server.js';
import { until } from '../../../test/support/until.js';

/** A TCP proxy that forwards what the server sends after a delay. */
async function delayedBy(delayMs: number, serverPort: number): Promise<Server> {
  const proxy = createServer((client) => {
    const upstream = connect(serverPort, '127.0.0.1');
    client.on('error', () => upstream.destroy()).pipe(upstream);
    upstream.on('error', () => client.destroy()).on('data', (data) => setTimeout(() => client.write(data), delayMs));
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return proxy;
}

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
    const slow = await delayedBy(20, bench.server.port);
    const link = await bench.open(`redis://127.0.0.1:${(slow.address() as AddressInfo).port}`);
    for (let round = 1; round <= 10; round++) {
      const beginMs = performance.now();
      expect(await count(link)).toBe(round);
      expect(performance.now() - beginMs).toBeGreaterThan(15);
    }
    expect(link.fallbacks).toBe(0);
    bench.closeLinks();
    slow.close();
  });

  describe('of a server in cluster mode', () => {
    const servers: RedisServer[] = [];
    const busPorts: number[] = [];

    /** Servers that know each other, and have their equal shares of the 16,384 slots. */
    async function startCluster(size: number): Promise<string> {
      for (let n = 0; n < size; n++) {
        // The default port of the cluster bus is in the range of outgoing connections, one of which may use it.
        const busPort = await freePort();
        busPorts.push(busPort);
        const server = await RedisServer.start('--cluster-enabled', 'yes', '--cluster-port', String(busPort));
        servers.push(server);
        const [from, to] = [n, n + 1].map((share) => Math.floor((16_384 * share) / size));
        await server.call('CLUSTER', 'ADDSLOTSRANGE', Number(from), Number(to) - 1);
        await server.call('CLUSTER', 'MEET', '127.0.0.1', servers[0]?.port ?? 0, busPorts[0] ?? 0);
      }
      const info = () => Promise.all(servers.map(async (server) => String(await server.call('CLUSTER', 'INFO'))));
      await until(async () => (await info()).every((text) => text.includes('cluster_state:ok')));
      return servers[0]?.url ?? '';
    }
    afterEach(async () => {
      for (const server of servers.splice(0)) await server.stop();
      busPorts.length = 0;
    });

    it('refuses to start if the server has some of the keys only', async () => {
      await expect(startCluster(2).then((url) => bench.open(url))).rejects.toThrow('one server of a Redis Cluster');
    });

    it('uses a server that has all keys, as an address that routes commands does', async () => {
      const read: unknown[] = [];
      const link = await bench.open(await startCluster(1), (client) => {
        for (const name of ['catalogue-version', 'keys-version{test:catalogue-version}'])
          client.readWithScripts(`test:${name}`, (value) => read.push(value));
      });
      for (const name of ['catalogue-version', 'keys-version{test:catalogue-version}'])
        await servers[0]?.call('SET', `test:${name}`, 7);
      expect(await count(link)).toBe(1);
      expect(read).toEqual(['7', '7']);
      expect(bench.logged).toEqual([]);
    });
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
