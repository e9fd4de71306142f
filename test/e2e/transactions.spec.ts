// @postgres: a write within another uses its connection.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Injectable } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import type { EntityManager } from 'typeorm';
import { ApiError, BeforeCommit, Database, type DomainEvent, onCommit, PetsModule } from '../../src/index.js';
import { lockUntilCommit, tryLockUntilCommit } from '../../src/database/locks.js';
import { onTransactionEnd } from '../../src/database/transaction.js';
import { errorOf } from '../support/expectations.js';
import { extensionOf } from '../support/extensions.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { NoteEntity, NOTES, notesOf } from '../support/notes.module.js';
import { until } from '../support/until.js';

const REFUSED = { code: 'pet_refused', status: 409, meaning: 'The pet is refused.' };
/** The names of events, after their commit and before it. */
const heard: string[] = [];
const heardWithin: string[] = [];
let refusedPetId: number | undefined;

/** A category stands for a stock that an extension keeps. */
@Controller('unused')
class Within {
  @BeforeCommit('pet.created')
  async note({ after }: DomainEvent<'pet.created'>, manager: EntityManager): Promise<void> {
    if (after.name.startsWith('noted'))
      await manager.query(`INSERT INTO "categories" ("id", "name") VALUES (${after.categoryId}, 'noted')`);
    if (after.name.endsWith('refused')) throw new ApiError(REFUSED, 'No room for the pet.');
    if (after.name === 'altered') Object.assign(after, { name: 'other' });
  }

  @BeforeCommit('pet.removed')
  async removeNote({ before }: DomainEvent<'pet.removed'>, manager: EntityManager): Promise<void> {
    await manager.query(`DELETE FROM "categories" WHERE "id" = ${before.categoryId} AND "name" = 'noted'`);
  }

  @BeforeCommit('order.placed')
  refuse({ after }: DomainEvent<'order.placed'>): void {
    if (after.petId === refusedPetId) throw new ApiError(REFUSED, 'Nobody orders this pet.');
  }
}

@Injectable()
class Changes {
  @OnEvent('pet.*')
  hearAfterCommit({ name }: DomainEvent): void {
    heard.push(name);
  }

  @BeforeCommit('pet.changed')
  @BeforeCommit('pet.removed')
  hear({ name, after }: { name: string; after: unknown }): void {
    heardWithin.push(name);
    if (!JSON.stringify([after]).includes('fails after commit')) return;
    onCommit(() => {
      throw new Error('on purpose');
    });
  }
}

const LISTENERS = extensionOf({
  imports: [PetsModule],
  controllers: [Within],
  providers: [Changes, { provide: 'alias', useExisting: Changes }],
});

let database: Database;
/** What callbacks and the work told. */
const told: string[] = [];
const tell = (word: string) => () => void told.push(word);

shareApp({ extensions: [NOTES, LISTENERS] }, AMPLE, () => {
  database = service.app.get(Database);
});
beforeEach(async () => {
  for (const words of [told, heard, heardWithin]) words.splice(0);
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

  it('is needed for a lock until the commit, on either database', async () => {
    for (const lock of [lockUntilCommit, tryLockUntilCommit]) {
      await expect(lock(database.manager, 'stock')).rejects.toThrow('needs a transaction');
      await database.write<unknown>((manager) => lock(manager, 'stock'));
    }
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
});

const addPet = (name: string, categoryId = 7) =>
  service.post('/v1/pets', key, { name, categoryId, status: 'available' });
const petOf = async (response: Response) => (await response.json()) as { id: number };

async function categories(): Promise<number[]> {
  const { body } = await service.json<{ id: number }[]>('/v1/categories?limit=100', { key });
  return body.map(({ id }) => id);
}

describe('a listener in the transaction', () => {
  it('does not change the response by what it changes in the event', async () => {
    expect(await petOf(await addPet('altered', 5))).toMatchObject({ name: 'altered' });
    await until(() => heard.length === 1);
  });

  it('writes what is committed and rolled back with the rest', async () => {
    const { id } = await petOf(await addPet('noted', 101));
    const refusal = await errorOf(await addPet('noted, refused', 102));
    expect(refusal).toEqual({ code: 'pet_refused', message: 'No room for the pet.', status: 409 });
    expect(await categories()).toEqual([101]);
    await service.request(`/v1/pets/${id}`, { key, method: 'DELETE' });
    expect(await categories()).toEqual([]);
    await until(() => heard.length >= 2);
    expect(heard).toEqual(['pet.created', 'pet.removed']);
  });

  it('that refuses an order leaves the pet unchanged', async () => {
    const { id } = await petOf(await addPet('not for sale'));
    refusedPetId = id;
    const refusal = await errorOf(await service.post('/v1/store/orders', key, `{"petId":${id}}`));
    expect(refusal).toMatchObject({ status: 409, code: 'pet_refused' });
    expect(await (await service.request(`/v1/pets/${id}`, { key })).json()).toHaveProperty('status', 'available');
  });

  it('hears once of each kind of event, and its callback after the commit changes nothing if it fails', async () => {
    const path = `/v1/pets/${(await petOf(await addPet('Bella', 1))).id}`;
    expect((await service.json(path, { key, method: 'PATCH', body: { name: 'fails after commit' } })).status).toBe(200);
    expect(await petOf(await service.request(path, { key }))).toHaveProperty('name', 'fails after commit');
    expect((await service.request(path, { key, method: 'DELETE' })).status).toBe(204);
    expect(heardWithin).toEqual(['pet.changed', 'pet.removed']);
  });
});
