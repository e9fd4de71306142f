import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { noteRequest } from '../recurring-task.js';
import type { RedisClient } from './redis-client.js';
import { SharedVersion } from './shared-version.js';
import { describeWithRedis } from '../../../test/support/describe-with-redis.js';
import { count, LinkBench, LONG_TIMEOUT_MS } from '../../../test/support/link-bench.js';
import { freePort } from '../../../test/support/servers/free-port.js';
import { RedisCluster } from '../../../test/support/servers/redis-cluster.js';
import { until } from '../../../test/support/until.js';

const VERSION = 'test:version';
/** The servers that are not silent respond in time, also on a busy machine. */
const TIMEOUT_MS = 5_000;

let cluster: RedisCluster;
let bench: LinkBench;

/** Waits for a condition while there are requests. */
const eventually = (condition: () => boolean) =>
  until(() => {
    noteRequest();
    return condition();
  });

/** A key on the server of another key, and one on another server. */
async function keysBeside(key: string): Promise<{ readonly away: string; readonly other: string }> {
  const server = await cluster.masterOf(key);
  const keys = Array.from({ length: 50 }, (_, n) => `test:{${n}}`);
  const masters = await Promise.all(keys.map((one) => cluster.masterOf(one)));
  const [away, other] = [masters.indexOf(server), masters.findIndex((one) => one !== server)];
  return { away: keys[away] ?? '', other: keys[other] ?? '' };
}

describeWithRedis('the Redis client of a cluster', () => {
  beforeAll(async () => {
    bench = await LinkBench.start();
    cluster = await RedisCluster.start();
  });
  afterEach(async () => {
    bench.closeLinks();
    bench.logged.length = 0;
    // A test that failed can have left one paused.
    for (const server of cluster.servers) server.resume();
    await cluster.flush();
  });
  afterAll(async () => {
    await bench.stop();
    await cluster.stop();
  });

  it('uses all servers from the start, and logs nothing', async () => {
    const link = await bench.open(cluster.url);
    const counts = Array.from({ length: 300 }, (_, n) => count(link, `test:{${n}}`));
    expect(new Set(await Promise.all(counts))).toEqual(new Set([1]));
    expect([link.shareUp, link.fallbacks, bench.logged]).toEqual([1, 0, []]);
  });

  it('uses fallbacks for the keys of a silent server only, and waits for it once', async () => {
    const link = await bench.open(cluster.url, undefined, TIMEOUT_MS);
    const { away, other } = await keysBeside(VERSION);
    const silent = await cluster.masterOf(away);
    expect([await count(link, away), await count(link, other)]).toEqual([1, 1]);
    silent.pause();
    const calls = [count(link, away), count(link, away)];
    expect(await Promise.all(Array.from({ length: 100 }, () => count(link, other)))).not.toContain('alone');
    expect(await Promise.all(calls)).toEqual(['alone', 'alone']);
    const beginMs = performance.now();
    for (let n = 0; n < 100; n++) expect(await count(link, away)).toBe('alone');
    // If each waited, they would take ten times as long.
    expect(performance.now() - beginMs).toBeLessThan(10 * TIMEOUT_MS);
    await eventually(() => link.shareUp < 1);
    expect(link.isUp).toBe(true);
    silent.resume();
    await eventually(() => link.shareUp === 1);
    expect(await count(link, away)).toEqual(expect.any(Number));
    expect(await count(link, other)).toBe(102);
    expect(bench.logged).toEqual([
      expect.stringContaining('A part of Redis is unavailable; using local counters for its accounts'),
      expect.stringContaining('available again'),
    ]);
  });

  it('counts on with the replica of a server that was killed', async () => {
    const link = await bench.open(cluster.url);
    const { away, other } = await keysBeside(VERSION);
    await count(link, away);
    await cluster.replicated(away);
    const killed = await cluster.kill(away);
    const counts: unknown[] = [];
    for (let n = 0; n < 200; n++) counts.push(await count(link, other));
    await cluster.failover(killed, away);
    let counted: unknown;
    await until(async () => {
      noteRequest();
      counted = await count(link, away);
      return counted !== 'alone';
    });
    expect(counted).toBe(2);
    expect(counts).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
    await cluster.rejoin(killed);
  });

  it('counts exactly while slots move to another server', async () => {
    const link = await bench.open(cluster.url, undefined, LONG_TIMEOUT_MS);
    const keys = Array.from({ length: 300 }, (_, n) => `test:{${n}}`);
    const { away, other } = await keysBeside(VERSION);
    const [from, to] = await Promise.all([cluster.masterOf(away), cluster.masterOf(other)]);
    const moved = cluster.move(500, from, to).then(() => true);
    let rounds = 0;
    do {
      rounds += 1;
      for (const counted of await Promise.all(keys.map((key) => count(link, key)))) expect(counted).toBe(rounds);
    } while (!(await Promise.race([moved, nextTurn(false)])));
    expect([link.fallbacks, rounds > 5]).toEqual([0, true]);
    await cluster.move(500, to, from);
  });

  it('is down while no server responds, and up again when they do', async () => {
    const link = await bench.open(cluster.url);
    for (const server of cluster.servers) server.pause();
    await eventually(() => !link.isUp);
    expect(link.shareUp).toBe(0);
    expect(count(link)).toBe('alone');
    for (const server of cluster.servers) server.resume();
    await eventually(() => link.shareUp === 1);
    expect(await count(link)).toEqual(expect.any(Number));
  });

  it('reads a shared version with each script, though another server has it', async () => {
    const versions: SharedVersion[] = [];
    const { other } = await keysBeside(VERSION);
    const prepare = (client: RedisClient) => versions.push(new SharedVersion(client, 'version'));
    const links = [await bench.open(cluster.url, prepare), await bench.open(cluster.url, prepare)];
    const admit = (index: number) => links[index] && count(links[index], other);
    for (let round = 0; round < 200; round++) {
      expect(await versions[0]?.bump()).toBe(true);
      const bumped = versions[0]?.current;
      expect(await admit(1)).toEqual(expect.any(Number));
      expect(versions[1]?.current).toBe(bumped);
    }
  });

  it('makes up for a bump of a shared version while its server was away', async () => {
    const versions: SharedVersion[] = [];
    const { other } = await keysBeside(VERSION);
    const link = await bench.open(cluster.url, (client) => versions.push(new SharedVersion(client, 'version')));
    await count(link, other);
    const before = versions[0]?.current ?? Infinity;
    await cluster.replicated(VERSION);
    const killed = await cluster.kill(VERSION);
    expect(await versions[0]?.bump()).toBe(false);
    await cluster.failover(killed, VERSION);
    await until(async () => {
      noteRequest();
      await count(link, other);
      return versions[0]?.current !== undefined;
    });
    expect(versions[0]?.current).toBeGreaterThan(before);
    await cluster.rejoin(killed);
  });

  it('refuses to start with a server that is not in a cluster', async () => {
    const url = `redis+cluster://127.0.0.1:${bench.server.port}`;
    await expect(bench.open(url)).rejects.toThrow('not in a Redis Cluster');
  });

  it('refuses to start with one server of a cluster, which has some of the keys only', async () => {
    const [server] = cluster.servers;
    await expect(bench.open(server?.url)).rejects.toThrow('one server of a Redis Cluster');
  });

  it('starts while the cluster is unavailable', async () => {
    const link = await bench.open(`redis+cluster://127.0.0.1:${await freePort()}`);
    expect(count(link)).toBe('alone');
    expect(bench.logged).toEqual([expect.stringContaining('Connection is closed')]);
  });
});
