import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuthBench } from '../../test/support/auth-service.js';
import type { Database } from './database.js';
import { onCommit, onTransactionEnd } from './transaction.js';

const bench = new AuthBench();
let database: Database;

beforeAll(async () => {
  ({ database } = await bench.open());
});
afterAll(() => bench.remove());

describe('a write', () => {
  it('is fulfilled after its callbacks for the end of the transaction', async () => {
    const told: string[] = [];
    await database.write(async () => {
      onTransactionEnd(async () => void (await Promise.resolve(), told.push('ended')));
      onCommit(() => void told.push('committed'));
      told.push('work');
    });
    told.push('told');
    expect(told).toEqual(['work', 'committed', 'ended', 'told']);
  });

  it('that fails runs its callbacks for the end, but not those for the commit', async () => {
    const told: string[] = [];
    const failing = database.write(async () => {
      onTransactionEnd(() => void told.push('ended'));
      onCommit(() => void told.push('committed'));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(told).toEqual(['ended']);
  });

  it('runs a callback once that is registered several times for the end', async () => {
    const told: string[] = [];
    const callback = () => void told.push('ended');
    await database.write(async () => {
      onTransactionEnd(callback);
      await database.write(async () => onTransactionEnd(callback));
    });
    expect(told).toEqual(['ended']);
  });
});

describe('a callback that is registered outside of a transaction', () => {
  it('runs at once', async () => {
    const told: string[] = [];
    onCommit(() => void told.push('committed'));
    onTransactionEnd(() => void told.push('ended'));
    const later = Promise.withResolvers<void>();
    let late: Promise<void> | undefined;
    await database.write(async () => {
      late = later.promise.then(() => onCommit(() => void told.push('after the commit')));
    });
    later.resolve();
    await late;
    expect(told).toEqual(['committed', 'ended', 'after the commit']);
  });
});
