import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { In, QueryFailedError } from 'typeorm';
import { Account } from '../../src/accounts/index.js';
import { type Database, onCommit } from '../../src/database/index.js';
import { AuthBench } from '../support/auth-service.js';

const account = (name: string) => ({ name, plan: 'free' as const, perMinute: null, perDay: null, createdAt: 0 });

describe('a write within another', () => {
  const bench = new AuthBench();
  let database: Database;

  beforeAll(async () => {
    ({ database } = await bench.open());
  });
  afterAll(() => bench.remove());

  const add = (name: string) =>
    database.write(async (manager) => {
      await manager.insert(Account, account(name));
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

  it('that fails does not roll back statements of the outer one that were sent meanwhile', async () => {
    await database.write(async (manager) => {
      const failing = database.write(async () => {
        await add('meanwhile, not');
        await nextTurn();
        throw new Error('no');
      });
      await nextTurn();
      const [outcome] = await Promise.allSettled([failing, manager.insert(Account, account('meanwhile'))]);
      expect(outcome.status).toBe('rejected');
    });
    expect(await names('meanwhile')).toEqual(['meanwhile']);
  });

  it('can use the manager of the outer one', async () => {
    await database.write(async (manager) => {
      const failing = database.write(async () => {
        await manager.insert(Account, account('borrowed'));
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
    });
    expect(await names('borrowed')).toEqual([]);
  });

  it('that the outer one does not await is committed as a whole or not at all', async () => {
    let forgotten: Promise<void> | undefined;
    await database.write(async () => {
      forgotten = database.write(async () => {
        await add('half 1');
        await nextTurn();
        await add('half 2');
      });
      await nextTurn();
    });
    await forgotten?.catch(() => undefined);
    expect([[], ['half 1', 'half 2']]).toContainEqual(await names('half'));
  });

  it('that begins while the outer one ends is rolled back with it, or committed as a whole', async () => {
    for (let steps = 0; steps < 30; steps++) {
      for (const end of [async () => undefined, () => Promise.reject(new Error('no'))]) {
        let nested: Promise<unknown> | undefined;
        const outer = database.write(async () => {
          nested = Promise.allSettled([
            database.write(() => add(`ending ${steps} 1`).then(() => add(`ending ${steps} 2`))),
          ]);
          for (let step = 0; step < steps; step++) await Promise.resolve();
          await end();
        });
        const [outcome] = await Promise.allSettled([outer]);
        await nested;
        const left = await names(`ending ${steps} `);
        expect(outcome.status === 'fulfilled' ? [0, 2] : [0]).toContain(left.length);
        await database.write((manager) => manager.delete(Account, { name: In(left) }));
      }
    }
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
