// @postgres: extensions use the driver, its types and its transactions.
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { DataSource, type EntityManager, MoreThanOrEqual } from 'typeorm';
import { Database, PetEntity, PetsService } from '../../src/index.js';
import { databaseOf, queryDatabase, withoutDatabase } from '../support/databases.js';
import { errorOf } from '../support/expectations.js';
import { AMPLE, key, newPet, service, shareApp } from '../support/folders.js';
import { NoteEntity, NOTES, notesOf } from '../support/notes.module.js';
import { until } from '../support/until.js';

let dataSource: DataSource;
shareApp({ extensions: [NOTES] }, AMPLE, () => {
  dataSource = service.app.get(DataSource);
});
afterEach(async () => {
  await queryDatabase(service.folder, 'DELETE FROM "notes"');
});

/** What another process finds. */
async function texts(): Promise<string[]> {
  const rows = await queryDatabase<{ text: string }>(service.folder, 'SELECT "text" FROM "notes"');
  return rows.map(({ text }) => text).toSorted();
}

const save = (text: string) => notesOf(service).save({ text, pet: null });
const createPet = (name: string) => service.post('/v1/pets', key, { name, categoryId: 1 });
const fail = async (): Promise<void> => {
  throw new Error('on purpose');
};
const writeAnd = (work: (manager: EntityManager) => Promise<unknown>) => service.app.get(Database).write(work);

describe('repositories of an extension', () => {
  it('find, save, count and remove, with relations to pets', async () => {
    const petId = await newPet('Noted');
    const note = { key, body: { text: 'likes carrots', petId } };
    const { id } = (await service.json<{ id: number }>('/v1/notes', note)).body;
    const listed = await service.request('/v1/notes', { key });
    expect(await listed.json()).toEqual([
      { id, text: 'likes carrots', pet: expect.objectContaining({ id: petId, name: 'Noted' }) },
    ]);
    const found = await notesOf(service)
      .createQueryBuilder('note')
      .innerJoinAndSelect('note.pet', 'pet')
      .where('pet.name = :name', { name: 'Noted' })
      .getOneOrFail();
    expect(found).toMatchObject({ id, pet: { id: petId } });
    await notesOf(service).update(id, { text: 'likes hay' });
    await notesOf(service).increment({ id }, 'id', 1_000);
    expect(await notesOf(service).findBy({ text: 'likes hay' })).toEqual([{ id: id + 1_000, text: 'likes hay' }]);
    await notesOf(service).remove(await notesOf(service).find());
    expect(await notesOf(service).count()).toBe(0);
  });

  it('read integers exactly, those beyond 2^53 as decimal digits', async () => {
    const id = await newPet('Bella', 9_007_199_254_740_993n);
    await newPet('Bella', -9_007_199_254_740_991n);
    const pets = await dataSource
      .getRepository(PetEntity)
      .find({ where: { id: MoreThanOrEqual(id) }, order: { id: 'ASC' } });
    expect(pets.map(({ categoryId }) => categoryId)).toEqual(['9007199254740993', -9007199254740991]);
    await dataSource.transaction(async (manager) => {
      const [pet] = await manager.findBy(PetEntity, { id });
      expect(pet?.categoryId).toBe('9007199254740993');
    });
    expect(await dataSource.query('SELECT CAST(9223372036854775807 AS BIGINT) AS "most", 7 AS "few"')).toEqual([
      { most: '9223372036854775807', few: 7 },
    ]);
  });

  it('begin a transaction on a query runner', async () => {
    for (const end of ['commitTransaction', 'rollbackTransaction'] as const) {
      const runner = dataSource.createQueryRunner();
      await runner.connect();
      await runner.startTransaction();
      await runner.manager.save(NoteEntity, { text: end, pet: null });
      await runner[end]();
      await runner.release();
    }
    expect(await texts()).toEqual(['commitTransaction']);
  });

  it('nest transactions, which are committed together', async () => {
    await dataSource.transaction(async (manager) => {
      await manager.insert(NoteEntity, { text: 'outer' });
      await dataSource.transaction((inner) => inner.insert(NoteEntity, { text: 'inner' }));
      await manager.transaction((inner) => inner.insert(NoteEntity, { text: 'of the manager' }));
    });
    expect(await texts()).toEqual(['inner', 'of the manager', 'outer']);
  });

  it('roll back all of them if an inner one fails', async () => {
    const outer = dataSource.transaction(async (manager) => {
      await manager.insert(NoteEntity, { text: 'outer' });
      await expect(manager.transaction(fail)).rejects.toThrow('on purpose');
    });
    await expect(outer).rejects.toThrow('A transaction inside this one was rolled back.');
    expect(await texts()).toEqual([]);
  });
});

describe('a write of a repository', () => {
  it('within Database.write or dataSource.transaction joins it, and sees its writes', async () => {
    for (const begin of [writeAnd, (work: typeof fail) => dataSource.transaction(work)]) {
      const failing = begin(async () => {
        await save('joined');
        expect(await notesOf(service).findOneBy({ text: 'joined' })).not.toBeNull();
        expect(await texts()).toEqual([]);
        await fail();
      });
      await expect(failing).rejects.toThrow('on purpose');
      expect(await texts()).toEqual([]);
    }
    await writeAnd(() => save('kept'));
    expect(await texts()).toEqual(['kept']);
  });

  it('does not join a transaction that has ended', async () => {
    let late: Promise<unknown> | undefined;
    const ended = Promise.withResolvers<void>();
    await writeAnd(async () => {
      late = ended.promise.then(() => save('late'));
    });
    const other = writeAnd(async () => {
      ended.resolve();
      await delay(20);
      await fail();
    });
    await expect(other).rejects.toThrow('on purpose');
    await late;
    expect(await texts()).toEqual(['late']);
  });

  it('is part of the transaction or refused if it was not awaited', async () => {
    for (let n = 0; n < 20; n++) {
      const forgotten: Promise<unknown>[] = [];
      await writeAnd(async (manager) => {
        forgotten.push(manager.insert(NoteEntity, { text: `forgotten ${n}` }));
      });
      await expect(writeAnd(fail)).rejects.toThrow('on purpose');
      const [outcome] = await Promise.allSettled(forgotten);
      expect(await texts()).toHaveLength(outcome?.status === 'fulfilled' ? 1 : 0);
      await notesOf(service).clear();
    }
  });

  it('is refused with the manager of a transaction that has ended', async () => {
    let kept: EntityManager | undefined;
    await writeAnd(async (manager) => {
      kept = manager;
    });
    await expect(kept?.insert(NoteEntity, { text: 'late' })).rejects.toThrow('released');
    expect(await texts()).toEqual([]);
  });
});

it('a call of the service within a transaction of an extension joins it, and concurrent calls do not', async () => {
  const pets = service.app.get(PetsService);
  const others: Promise<Response>[] = [];
  const failing = dataSource.transaction(async () => {
    const { id } = await pets.create({ name: 'undone', categoryId: 1 });
    const reading = pets.get(String(id));
    others.push(createPet('other'), createPet('other'), service.request(`/v1/pets/${id}`, { key }));
    expect(await reading).toMatchObject({ name: 'undone' });
    await delay(20);
    await fail();
  });
  await expect(failing).rejects.toThrow('on purpose');
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([201, 201, 404]);
  const names = await queryDatabase<{ name: string }>(
    service.folder,
    `SELECT "name" FROM "pets" WHERE "name" IN ('other', 'undone')`,
  );
  expect(names).toEqual([{ name: 'other' }, { name: 'other' }]);
});

describe('overlapping transactions', () => {
  it('are independent: a rollback of one does not affect the others', async () => {
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.manager.insert(NoteEntity, { text: 'rolled back' });
    const others = [
      save('saved'),
      createPet('beside'),
      dataSource.query(`INSERT INTO "notes" ("text") VALUES ('raw')`),
    ];
    expect(await notesOf(service).findOneBy({ text: 'rolled back' })).toBeNull();
    expect(await dataSource.query(`SELECT "text" FROM "notes" WHERE "text" = 'rolled back'`)).toEqual([]);
    await delay(50);
    await runner.rollbackTransaction();
    await runner.release();
    await Promise.all(others);
    expect(await texts()).toEqual(['raw', 'saved']);
  });

  it('keep exactly the acknowledged writes, beside creates of the service and failures', async () => {
    const kinds: ((n: number) => Promise<unknown>)[] = [
      (n) => save(`save ${n}`),
      (n) => notesOf(service).insert({ text: `insert ${n}` }),
      (n) => dataSource.query(`INSERT INTO "notes" ("text") VALUES ('raw ${n}')`),
      (n) =>
        dataSource.transaction(async (manager) => {
          await manager.insert(NoteEntity, { text: `half ${n}` });
          await delay(n % 3);
          await (n % 2 === 0 ? fail() : manager.insert(NoteEntity, { text: `whole ${n}` }));
        }),
      async (n) => {
        await using runner = dataSource.createQueryRunner();
        await runner.startTransaction();
        await runner.manager.save(NoteEntity, { text: `runner ${n}`, pet: null });
        await (n % 2 === 0 ? runner.rollbackTransaction() : runner.commitTransaction());
        if (n % 2 === 0) await fail();
      },
      (n) =>
        service.app.get(Database).write((manager) => manager.insert(NoteEntity, { text: n % 2 ? `w ${n}` : 'same' })),
    ];
    const ROUNDS = 12;
    const pets: Promise<Response>[] = [];
    const writes: Promise<unknown>[] = [];
    for (let n = 0; n < ROUNDS; n++) {
      for (const write of kinds) {
        writes.push(write(n));
        pets.push(createPet(`concurrent ${n}`));
      }
      await delay(1);
    }
    const outcomes = await Promise.allSettled(writes);
    const statuses = (await Promise.all(pets)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([201]));
    const told = outcomes.flatMap(({ status }, index) => {
      const [n, kind] = [Math.floor(index / kinds.length), index % kinds.length];
      const same = n % 2 ? `w ${n}` : 'same';
      const kept = [[`save ${n}`], [`insert ${n}`], [`raw ${n}`], [`half ${n}`, `whole ${n}`], [`runner ${n}`], [same]];
      return status === 'fulfilled' ? kept[kind] : [];
    });
    expect(await texts()).toEqual(told.toSorted());
    expect(told).toHaveLength(5 * ROUNDS + 1);
    const stored = await queryDatabase(service.folder, `SELECT "id" FROM "pets" WHERE "name" LIKE 'concurrent %'`);
    expect(stored).toHaveLength(pets.length);
  });

  it('cannot be begun or ended by statements; the error names the alternative', async () => {
    for (const sql of ['BEGIN', 'COMMIT']) {
      await expect(dataSource.query(sql)).rejects.toThrow('dataSource.transaction');
      await expect(dataSource.transaction((manager) => manager.query(sql))).rejects.toThrow('dataSource.transaction');
    }
    expect((await createPet('after')).status).toBe(201);
  });
});

const list = () => service.request('/v1/notes', { key });

describe('repositories of an extension while the database is unavailable', () => {
  it('throw DomainError, and work again when it is back', async () => {
    const petId = await newPet();
    const create = () => service.post('/v1/notes', key, { text: `about ${petId}`, petId });
    const rename = () => service.post(`/v1/notes/${petId}/renaming`, key, { text: 'Nala', petId });
    expect((await list()).status).toBe(200);
    await withoutDatabase(databaseOf(service.folder), async () => {
      for (const response of [await list(), await create(), await rename()]) {
        expect(response.headers.get('retry-after')).toBe('1');
        expect(await errorOf(response)).toMatchObject({ status: 503, code: 'service_unavailable' });
      }
    });
    await until(async () => (await list()).status === 200);
    expect((await create()).status).toBe(200);
    expect(await (await list()).json()).toHaveLength(1);
  });
});
