// @postgres: a write within another uses its connection.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { In } from 'typeorm';
import { Account } from '../../src/auth/keys/account.entity.js';
import type { Database } from '../../src/database/database.js';
import { onCommit } from '../../src/database/transaction.js';
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
    const accounts = await database.manager.find(Account, { order: { name: 'ASC' } });
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

  it('rolls it back if it fails, even if its error is caught', async () => {
    const told: string[] = [];
    const outer = database.write(async () => {
      onCommit(() => void told.push('committed'));
      await add('doomed 1');
      await expect(addAndFail('doomed 2')).rejects.toThrow('no');
      await expect(add('doomed 3')).rejects.toThrow('A transaction inside this one was rolled back.');
    });
    await expect(outer).rejects.toThrow('A transaction inside this one was rolled back.');
    expect([told, await names('doomed')]).toEqual([[], []]);
  });

  it('can run at the same time as others', async () => {
    await database.write(() => Promise.all([add('turn 1'), add('turn 2'), add('turn 3')]));
    expect(await names('turn')).toEqual(['turn 1', 'turn 2', 'turn 3']);
  });

  it('can use the manager of the outer one', async () => {
    await database.write(async (manager) => {
      await database.write(() => manager.insert(Account, account('borrowed')));
    });
    expect(await names('borrowed')).toEqual(['borrowed']);
  });

  it('that the outer one does not await rolls it back', async () => {
    let forgotten: Promise<void> | undefined;
    const outer = database.write(async () => {
      forgotten = database.write(async () => {
        await add('half 1');
        await nextTurn();
        await add('half 2');
      });
      await nextTurn();
    });
    await expect(outer).rejects.toThrow('one inside it was not awaited');
    await expect(forgotten).rejects.toThrow('one inside it was not awaited');
    expect(await names('half')).toEqual([]);
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
});
