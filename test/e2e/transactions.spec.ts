// @postgres: a write within another uses its connection.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Database, onCommit } from '../../src/index.js';
import { onTransactionEnd } from '../../src/database/transaction.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { NoteEntity, NOTES, notesOf } from '../support/notes.module.js';

let database: Database;
/** What callbacks and the work told. */
const told: string[] = [];
const tell = (word: string) => () => void told.push(word);

sharePreparedApp({ extensions: [NOTES] }, async () => {
  database = service.app.get(Database);
});
beforeEach(async () => {
  told.splice(0);
  await notesOf(service).clear();
});

const fail = async (): Promise<never> => {
  throw new Error('no');
};
const add = (text: string) =>
  database.write(async (manager) => {
    await manager.insert(NoteEntity, { text });
  });
const texts = async () => (await notesOf(service).find({ order: { text: 'ASC' } })).map(({ text }) => text);

describe('a write', () => {
  it('is fulfilled after its callbacks for the end of the transaction', async () => {
    await database.write(async () => {
      onTransactionEnd(() => nextTurn().then(tell('ended')));
      onCommit(tell('committed'));
      tell('work')();
    });
    tell('told')();
    expect(told).toEqual(['work', 'committed', 'ended', 'told']);
  });

  it('that fails runs its callbacks for the end, but not those for the commit', async () => {
    const failing = database.write(async () => {
      onTransactionEnd(tell('ended'));
      onCommit(tell('committed'));
      await fail();
    });
    await expect(failing).rejects.toThrow('no');
    expect(told).toEqual(['ended']);
  });

  it('runs a callback once that is registered several times for the end', async () => {
    const callback = tell('ended');
    await database.write(async () => {
      onTransactionEnd(callback);
      await database.write(async () => onTransactionEnd(callback));
    });
    expect(told).toEqual(['ended']);
  });

  it('is not needed for a callback, which runs at once outside of it, or after its commit', async () => {
    onCommit(tell('committed'));
    onTransactionEnd(tell('ended'));
    const later = Promise.withResolvers<void>();
    let late: Promise<void> | undefined;
    await database.write(async () => {
      late = later.promise.then(() => onCommit(tell('after the commit')));
    });
    later.resolve();
    await late;
    expect(told).toEqual(['committed', 'ended', 'after the commit']);
  });
});

describe('a write within another', () => {
  it('joins its transaction, which sees it before others do', async () => {
    const within = await database.write(async () => {
      await add('part 1');
      await add('part 2');
      return texts();
    });
    expect([within, await texts()]).toEqual([
      ['part 1', 'part 2'],
      ['part 1', 'part 2'],
    ]);
  });

  it('is rolled back with it', async () => {
    await expect(database.write(() => add('gone').then(fail))).rejects.toThrow('no');
    expect(await texts()).toEqual([]);
  });

  it('rolls it back if it fails, even if its error is caught', async () => {
    const outer = database.write(async () => {
      onCommit(tell('committed'));
      await add('doomed 1');
      await expect(database.write(() => add('doomed 2').then(fail))).rejects.toThrow('no');
      await expect(add('doomed 3')).rejects.toThrow('A transaction inside this one was rolled back.');
    });
    await expect(outer).rejects.toThrow('A transaction inside this one was rolled back.');
    expect([told, await texts()]).toEqual([[], []]);
  });

  it('can run at the same time as others', async () => {
    await database.write(() => Promise.all([add('turn 1'), add('turn 2'), add('turn 3')]));
    expect(await texts()).toEqual(['turn 1', 'turn 2', 'turn 3']);
  });

  it('can use the manager of the outer one', async () => {
    await database.write((manager) => database.write(() => manager.insert(NoteEntity, { text: 'borrowed' })));
    expect(await texts()).toEqual(['borrowed']);
  });

  it('that the outer one does not await rolls it back', async () => {
    let forgotten: Promise<void> | undefined;
    const outer = database.write(async () => {
      forgotten = database.write(() =>
        add('half 1')
          .then(nextTurn)
          .then(() => add('half 2')),
      );
      await nextTurn();
    });
    await expect(outer).rejects.toThrow('one inside it was not awaited');
    await expect(forgotten).rejects.toThrow('one inside it was not awaited');
    expect(await texts()).toEqual([]);
  });

  it('that begins while the outer one ends is rolled back with it, or committed as a whole', async () => {
    for (let steps = 0; steps < 30; steps++) {
      for (const end of [async () => undefined, fail]) {
        let nested: Promise<unknown> | undefined;
        const outer = database.write(async () => {
          nested = Promise.allSettled([database.write(() => add('ending 1').then(() => add('ending 2')))]);
          for (let step = 0; step < steps; step++) await Promise.resolve();
          await end();
        });
        const [outcome] = await Promise.allSettled([outer]);
        await nested;
        expect(outcome.status === 'fulfilled' ? [0, 2] : [0]).toContain((await texts()).length);
        await notesOf(service).clear();
      }
    }
  });

  it('has its own transaction if it begins after the commit of the other', async () => {
    let late: Promise<void> | undefined;
    await database.write(async () => {
      late = nextTurn().then(() => add('late'));
    });
    await late;
    expect(await texts()).toEqual(['late']);
  });
});
