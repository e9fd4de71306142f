import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuthBench } from '../../test/support/auth-service.js';
import type { Database } from './database.js';
import { onCommit, onTransactionEnd } from './transaction-callbacks.js';

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

  it('must be open to register callbacks', async () => {
    expect(() => onTransactionEnd(() => undefined)).toThrow('outside of Database.write');
    let late: unknown;
    const ended = Promise.withResolvers<void>();
    let noticing: Promise<void> | undefined;
    await database.write(async () => {
      noticing = ended.promise.then(() => {
        try {
          onCommit(() => undefined);
        } catch (error) {
          late = error;
        }
      });
    });
    ended.resolve();
    await noticing;
    expect(late).toEqual(new Error('onCommit was called outside of Database.write.'));
  });
});
