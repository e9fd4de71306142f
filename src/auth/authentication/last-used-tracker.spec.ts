import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type AuthInstance, authForEachTest } from '../../../test/support/auth-service.js';

describe('LastUsedTracker', () => {
  const { bench, service } = authForEachTest();
  let id: string;
  let token: string;

  beforeEach(async () => {
    ({ id, key: token } = await service.issue());
  });

  const lastUsedAt = async (instance = service) =>
    (await instance.keys.listKeys()).map((key) => (key.lastUsedAt === undefined ? null : Date.parse(key.lastUsedAt)));

  it('writes the last use of a verified key', async () => {
    await service.verifier.verify(token);
    expect(await lastUsedAt()).toEqual([null]);
    await service.lastUse.flush();
    expect(await lastUsedAt()).toEqual([bench.clock.nowMs()]);
  });

  it('records uses of a cached key', async () => {
    await service.verifier.verify(token);
    await service.lastUse.flush();
    bench.clock.advanceMs(10_000);
    expect(service.verifier.verify(token)).toHaveProperty('keyId', id);
    await service.lastUse.flush();
    expect(await lastUsedAt()).toEqual([bench.clock.nowMs()]);
  });

  it('does not record a refusal', async () => {
    await service.keys.revoke(id);
    await service.verifier.verify(token);
    await service.lastUse.flush();
    expect(await lastUsedAt()).toEqual([null]);
  });

  it('writes the time of the use to the second, not the time of the write', async () => {
    const other = await service.issue();
    const start = bench.clock.nowMs();
    bench.clock.advanceMs(2_750);
    service.lastUse.uses.add(id, bench.clock.nowMs());
    bench.clock.advanceMs(1_000);
    service.lastUse.uses.add(other.id, bench.clock.nowMs());
    bench.clock.advanceMs(5_000);
    await service.lastUse.flush();
    expect(new Set(await lastUsedAt())).toEqual(new Set([start + 2_000, start + 3_000]));
  });

  it('is written by several instances at once, in whatever order their keys were used', async () => {
    const keys: string[] = [];
    for (let n = 0; n < 20; n++) keys.push((await service.issue()).id);
    const other = await bench.open();
    const flush = async ({ lastUse }: AuthInstance, ids: readonly string[], round: number): Promise<void> => {
      for (const [n, used] of ids.entries())
        lastUse.uses.add(used, bench.clock.nowMs() + round * 100_000 + (n % 10) * 1_000);
      await lastUse.flush();
    };
    for (let round = 1; round <= 10; round++)
      await Promise.all([flush(service, keys, round), flush(other, keys.toReversed(), round)]);
    const rounds = (await lastUsedAt()).flatMap((at) =>
      at === null ? [] : Math.floor((at - bench.clock.nowMs()) / 100_000),
    );
    expect(rounds).toEqual(keys.map(() => 10));
  });

  it('never writes an earlier time', async () => {
    service.lastUse.uses.add(id, bench.clock.nowMs());
    await service.lastUse.flush();
    const used = bench.clock.nowMs();
    bench.clock.advanceMs(-60_000);
    service.lastUse.uses.add(id, bench.clock.nowMs());
    await service.lastUse.flush();
    expect(await lastUsedAt()).toEqual([used]);
  });

  it('writes nothing if no key was used', async () => {
    service.lastUse.uses.add(id, bench.clock.nowMs());
    await service.lastUse.flush();
    const write = jest.spyOn(service.database, 'write');
    await service.lastUse.flush();
    expect(write).not.toHaveBeenCalled();
  });

  it('retries failed writes with the next flush', async () => {
    service.lastUse.uses.add(id, bench.clock.nowMs());
    jest.spyOn(service.database, 'write').mockRejectedValueOnce(new Error('away'));
    const failing = service.lastUse.flush();
    bench.clock.advanceMs(1_000);
    service.lastUse.uses.add(id, bench.clock.nowMs());
    await expect(failing).rejects.toThrow('away');
    await service.lastUse.flush();
    expect(await lastUsedAt()).toEqual([bench.clock.nowMs()]);
  });

  it('writes more keys than fit into one statement', async () => {
    for (let count = 0; count < 1_500; count += 1) service.lastUse.uses.add(`key_${count}`, bench.clock.nowMs());
    service.lastUse.uses.add(id, bench.clock.nowMs());
    await service.lastUse.flush();
    expect(await lastUsedAt()).toEqual([bench.clock.nowMs()]);
  });

  it('writes the last uses on shutdown', async () => {
    service.lastUse.uses.add(id, bench.clock.nowMs());
    const used = bench.clock.nowMs();
    await service.close();
    expect(await lastUsedAt(await bench.open())).toEqual([used]);
  });

  it('writes no audit record, which would invalidate the key on every instance', async () => {
    await service.poller.poll();
    const caller = await service.verifier.verify(token);
    await service.lastUse.flush();
    await service.poller.poll();
    expect(service.verifier.verify(token)).toBe(caller);
  });
});
