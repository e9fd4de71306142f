import { describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { afterWrite, asWrite, type Work } from './within-write.js';

const MANAGER = {} as EntityManager;
const transact = <T>(work: Work<T>) => work(MANAGER);

describe('a write', () => {
  it('refuses another within it, which would wait for itself', async () => {
    await expect(asWrite(() => asWrite(async () => 1, transact), transact)).rejects.toThrow('within Database.write');
  });

  it('is told of only after what is to be done when it has ended', async () => {
    const told: string[] = [];
    const work = async () => afterWrite(async () => void (await Promise.resolve(), told.push('noted')));
    await asWrite(work, (doWork) => transact(doWork).finally(() => told.push('committed')));
    told.push('told');
    expect(told).toEqual(['committed', 'noted', 'told']);
  });

  it('has it done where it failed as well', async () => {
    let noted = false;
    const work = async () => afterWrite(() => void (noted = true));
    await expect(asWrite(work, (doWork) => transact(doWork).then(() => Promise.reject(new Error('no commit'))))).rejects.toThrow('no commit');
    expect(noted).toBe(true);
  });

  it('has to be under way', () => {
    expect(() => afterWrite(() => undefined)).toThrow('outside of Database.write');
  });
});
