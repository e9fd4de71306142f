import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { Account } from '../../src/accounts/index.js';
import { type Database, onCommit } from '../../src/database/index.js';
import { AuthBench } from '../support/auth-service.js';

describe('a write within another', () => {
  const bench = new AuthBench();
  let database: Database;

  beforeAll(async () => {
    ({ database } = await bench.open());
  });
  afterAll(() => bench.remove());

  const add = (name: string) =>
    database.write(async (manager) => {
      await manager.insert(Account, { name, plan: 'free', perMinute: null, perDay: null, createdAt: 0 });
    });
  const addAndFail = (name: string) =>
    database.write(async () => {
      await add(name);
      throw new Error('no');
    });
  const names = async (prefix: string) => {
    const accounts = await database.read((manager) => manager.find(Account, { order: { name: 'ASC' } }));
    return accounts.map(({ name }) => name).filter((name) => name.startsWith(prefix));
  };

  it('joins its transaction, which sees it before others do', async () => {
    const within = await database.write(async () => {
      await add('part 1');
      await add('part 2');
      return names('part');
    });
    expect([within, await names('part')]).toEqual([
      ['part 1', 'part 2'],
      ['part 1', 'part 2'],
    ]);
  });

  it('is rolled back with it', async () => {
    const outer = database.write(async () => {
      await add('gone 1');
      throw new Error('no');
    });
    await expect(outer).rejects.toThrow('no');
    expect(await names('gone')).toEqual([]);
  });

  it('can be rolled back alone, with its callbacks', async () => {
    const told: string[] = [];
    await database.write(async () => {
      await add('kept 1');
      await expect(
        database.write(async () => {
          onCommit(() => void told.push('undone'));
          await addAndFail('kept, not');
        }),
      ).rejects.toThrow('no');
      await database.write(async () => onCommit(() => void told.push('kept')));
      await add('kept 2');
    });
    expect([told, await names('kept')]).toEqual([['kept'], ['kept 1', 'kept 2']]);
  });

  it('is serialised with other nested writes', async () => {
    await database.write(async () => {
      const results = await Promise.allSettled([add('turn 1'), addAndFail('turn, not'), add('turn 2')]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    });
    expect(await names('turn')).toEqual(['turn 1', 'turn 2']);
  });

  it('has its own transaction if it begins after the commit of the other', async () => {
    let late: Promise<void> | undefined;
    await database.write(async () => {
      late = nextTurn().then(() => add('late 1'));
    });
    await late;
    expect(await names('late')).toEqual(['late 1']);
  });

  it('fails alone if it violates a constraint', async () => {
    await add('twice');
    await database.write(async () => {
      await add('twice, almost');
      await expect(add('twice')).rejects.toThrow(QueryFailedError);
    });
    expect(await names('twice')).toEqual(['twice', 'twice, almost']);
  });
});
