import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { describeWithRedis } from '../../../test/support/describe-with-redis.js';
import { Folders } from '../../../test/support/folders.js';
import { count, LinkBench } from '../../../test/support/link-bench.js';
import { freePort } from '../../../test/support/servers/free-port.js';
import { RedisServer } from '../../../test/support/servers/redis-server.js';
import { until, within } from '../../../test/support/until.js';

/** Until the sentinels have another master, and the client uses it. */
const FAILOVER_MS = 5_000;

const folders = new Folders();
const sentinels: ChildProcess[] = [];
let bench: LinkBench;
let replica: RedisServer;
let url: string;

async function startSentinel(masterPort: number): Promise<number> {
  const port = await freePort();
  const file = join(folders.make(), 'sentinel.conf');
  writeFileSync(
    file,
    `port ${port}
sentinel monitor petstore 127.0.0.1 ${masterPort} 2
sentinel down-after-milliseconds petstore 500
sentinel failover-timeout petstore 2000
`,
  );
  sentinels.push(spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' }));
  return port;
}

describeWithRedis('the Redis client with sentinels', () => {
  beforeEach(async () => {
    bench = await LinkBench.start();
    replica = await RedisServer.start('--replicaof', `127.0.0.1 ${bench.server.port}`);
    const ports = [];
    for (let n = 0; n < 3; n += 1) ports.push(await startSentinel(bench.server.port));
    url = `redis+sentinel://${ports.map((port) => `127.0.0.1:${port}`).join(',')}/petstore`;
    await until(async () => String(await bench.server.call('INFO', 'replication')).includes('state=online'));
  });
  afterEach(async () => {
    for (const sentinel of sentinels.splice(0)) {
      sentinel.kill('SIGKILL');
      await once(sentinel, 'exit');
    }
    await replica.stop();
    await bench.stop();
    await folders.remove();
  });

  it('uses the master, and the next one within five seconds of its loss', async () => {
    const link = await bench.open(url);
    await until(() => link.isUp);
    expect(await count(link)).toBe(1);
    // Until every sentinel knows the others and the replica.
    await until(async () => {
      const info = await Promise.all(sentinels.map((_, index) => bench.sentinelInfo(url, index)));
      return info.every((text) => /slaves=1,sentinels=3/.test(text));
    });
    // Redis replicates after it has replied.
    await until(async () => String(await replica.call('GET', 'test:counter')) === '1');
    await bench.server.kill();
    expect(await count(link)).toBe('alone');
    expect(await within(FAILOVER_MS, () => link.isUp, Boolean)).toBe(true);
    expect(await count(link)).toBe(2);
  });

  it('says that no sentinel knows a master of another name', async () => {
    await bench.open(url.replace('petstore', 'shop'));
    expect(bench.logged.join('\n')).toContain('no sentinel has named its master yet');
  });

  it('refuses to use a sentinel as a server', async () => {
    const [, address = ''] = /(127\.0\.0\.1:\d+)/.exec(url) ?? [];
    await expect(bench.open(`redis://${address}`)).rejects.toThrow('REDIS_URL names a Redis Sentinel');
  });
});
