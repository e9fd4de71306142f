import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { RedisClient } from './redis-client.js';
import { SharedVersion } from './shared-version.js';
import { describeWithRedis } from '../../../test/support/describe-with-redis.js';
import { count, eventually, LinkBench, LONG_TIMEOUT_MS, TIMEOUT_MS } from '../../../test/support/link-bench.js';

const KEY = 'test:catalogue-version';

let bench: LinkBench;

interface Instance {
  readonly link: RedisClient;
  readonly version: SharedVersion;
}

async function open(timeoutMs = LONG_TIMEOUT_MS): Promise<Instance> {
  const { promise, resolve } = Promise.withResolvers<SharedVersion>();
  const link = await bench.open(
    undefined,
    (client) => resolve(new SharedVersion(client, 'catalogue-version')),
    timeoutMs,
  );
  return { link, version: await promise };
}

/** As the admission of a request does; returns the version that the request then sees. */
async function admit({ link, version }: Instance): Promise<number | undefined> {
  await count(link);
  return version.current;
}

describeWithRedis('a version that instances share', () => {
  beforeAll(async () => {
    bench = await LinkBench.start();
  });
  afterEach(() => bench.closeLinks());
  afterAll(() => bench.stop());

  it('is current in each request after a bump, on every instance', async () => {
    const [one, other] = [await open(), await open()];
    for (let round = 0; round < 200; round++) {
      const before = (await admit(other)) ?? Infinity;
      await one.version.bump();
      const bumped = one.version.current ?? 0;
      expect(bumped).toBeGreaterThan(before);
      expect(await admit(other)).toBeGreaterThanOrEqual(bumped);
    }
  });

  it('grows with each of many concurrent bumps', async () => {
    const instances = [await open(), await open(), await open()];
    const seen = new Set<unknown>();
    await Promise.all(instances.flatMap(({ version }) => Array.from({ length: 100 }, () => version.bump())));
    for (const instance of instances) seen.add(await admit(instance));
    expect(seen.size).toBe(1);
    expect(Number(await bench.server.call('GET', KEY))).toBe([...seen][0]);
  });

  it('is unknown after Redis lost it, and then new on every instance', async () => {
    const [one, other] = [await open(), await open()];
    const before = (await admit(other)) ?? Infinity;
    await bench.server.call('FLUSHALL');
    expect(await admit(one)).toBeUndefined();
    await eventually(() => one.version.current !== undefined);
    expect(one.version.current).toBeGreaterThan(before);
    expect(await admit(other)).toBe(one.version.current);
  });

  it('never goes back, even after a failover to an older replica', async () => {
    const one = await open();
    const before = (await admit(one)) ?? Infinity;
    await bench.server.call('SET', KEY, before - 5);
    expect(await admit(one)).toBeUndefined();
    await eventually(() => one.version.current !== undefined);
    expect(one.version.current).toBeGreaterThan(before);
  });

  it('is unknown while Redis is unavailable, and new when it is back', async () => {
    const one = await open(TIMEOUT_MS);
    const before = one.version.current ?? Infinity;
    bench.server.pause();
    await eventually(() => one.version.current === undefined);
    await one.version.bump();
    bench.server.resume();
    await eventually(() => one.version.current !== undefined);
    expect(one.version.current).toBeGreaterThan(before);
  });

  it('is new after a bump that Redis refused', async () => {
    const one = await open();
    const before = (await admit(one)) ?? Infinity;
    await bench.server.call('ACL', 'SETUSER', 'default', '-set');
    expect(await one.version.bump()).toBe(false);
    await bench.server.call('ACL', 'SETUSER', 'default', '+set');
    expect(await admit(one)).toBeUndefined();
    await eventually(() => one.version.current !== undefined);
    expect(one.version.current).toBeGreaterThan(before);
  });

  it('ends a bump after the timeout of Redis', async () => {
    const one = await open(TIMEOUT_MS);
    bench.server.pause();
    expect(await one.version.bump()).toBe(false);
    bench.server.resume();
  });

  it('expires', async () => {
    const one = await open();
    await one.version.bump();
    expect(Number(await bench.server.call('TTL', KEY))).toBeGreaterThan(80_000);
    await bench.server.call('DEL', KEY);
    await admit(one);
    await eventually(() => one.version.current !== undefined);
  });
});
