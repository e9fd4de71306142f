import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { shareAuth } from '../../../test/support/auth-service.js';

const { bench, service } = shareAuth();
let id: string;
let key: string;

beforeEach(async () => {
  ({ id, key } = await service.issue());
});

const use = (keyId = id) => service.lastUse.uses.add(keyId, bench.clock.nowMs());
const flush = () => service.lastUse.flush();

/** When a key was last used, as it is stored. */
async function lastUsedAt(keyId = id): Promise<number | undefined> {
  const { lastUsedAt: at } = await service.keys.showKey(keyId);
  return at === undefined ? undefined : Date.parse(at);
}

describe('the last use of a key', () => {
  it('is written after it was verified, cached or not', async () => {
    await service.verifier.verify(key);
    expect(await lastUsedAt()).toBeUndefined();
    await flush();
    expect(await lastUsedAt()).toBe(bench.clock.nowMs());
    bench.clock.advanceMs(10_000);
    expect(service.verifier.verify(key)).toHaveProperty('keyId', id);
    await flush();
    expect(await lastUsedAt()).toBe(bench.clock.nowMs());
  });

  it('is not when it was refused', async () => {
    await service.keys.revoke(id);
    await service.verifier.verify(key);
    await flush();
    expect(await lastUsedAt()).toBeUndefined();
  });

  it('is the time of the use to the second, not the time of the write', async () => {
    const other = await service.issue();
    const start = bench.clock.nowMs();
    bench.clock.advanceMs(2_750);
    use();
    bench.clock.advanceMs(1_000);
    use(other.id);
    bench.clock.advanceMs(6_250);
    await flush();
    expect([await lastUsedAt(), await lastUsedAt(other.id)]).toEqual([start + 2_000, start + 3_000]);
  });

  it('is never an earlier time', async () => {
    use();
    await flush();
    const used = bench.clock.nowMs();
    bench.clock.advanceMs(-60_000);
    use();
    await flush();
    bench.clock.advanceMs(60_000);
    expect(await lastUsedAt()).toBe(used);
  });

  it('is written with the next flush after one that failed', async () => {
    use();
    jest.spyOn(service.database, 'write').mockRejectedValueOnce(new Error('away'));
    const failing = flush();
    bench.clock.advanceMs(1_000);
    use();
    await expect(failing).rejects.toThrow('away');
    await flush();
    expect(await lastUsedAt()).toBe(bench.clock.nowMs());
  });

  it('is written on shutdown', async () => {
    const stopped = await bench.open();
    stopped.lastUse.uses.add(id, bench.clock.nowMs());
    await stopped.close();
    expect(await lastUsedAt()).toBe(bench.clock.nowMs());
  });

  it('is no audit record, which would invalidate the key on every instance', async () => {
    await service.poller.poll();
    const caller = await service.verifier.verify(key);
    await flush();
    await service.poller.poll();
    expect(service.verifier.verify(key)).toBe(caller);
  });
});
