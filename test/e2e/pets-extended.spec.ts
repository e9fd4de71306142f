import { describe, expect, it, jest } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  BeforeCommit,
  Database,
  type DomainError,
  type DomainEvent,
  PetEntity,
  PetsModule,
  PetsService,
} from '../../src/index.js';
import { onPostgres, queryDatabase } from '../support/databases.js';
import { errorOf, refusalOf } from '../support/expectations.js';
import { extensionOf } from '../support/extensions.js';
import { AMPLE, key, newPet, service, shareApp } from '../support/folders.js';
import { NOTES, notesOf } from '../support/notes.module.js';

/** Visits to pets, in the way of the manual: without a foreign key, and removed with their pet. */
@Injectable()
class Visits {
  constructor(
    private readonly database: Database,
    private readonly pets: PetsService,
  ) {}

  book(petId: number): Promise<unknown> {
    return this.database.write(async (manager) => {
      await this.pets.get(String(petId));
      await manager.query(`INSERT INTO "visits" VALUES (${petId})`);
    });
  }

  @BeforeCommit('pet.removed')
  async removeWith({ before }: DomainEvent<'pet.removed'>, manager: EntityManager): Promise<void> {
    await manager.query(`DELETE FROM "visits" WHERE "pet_id" = ${before.id}`);
  }
}

/** Tags of pets, with a foreign key. */
@Injectable()
class Tags {
  @BeforeCommit('pet.removed')
  async removeWith({ before }: DomainEvent<'pet.removed'>, manager: EntityManager): Promise<void> {
    await manager.query(`DELETE FROM "tags" WHERE "pet_id" = ${before.id}`);
  }
}

const VISITS = extensionOf({ imports: [PetsModule], providers: [Visits, Tags] });

let dataSource: DataSource;
shareApp({ extensions: [NOTES, VISITS] }, AMPLE, async () => {
  dataSource = service.app.get(DataSource);
  await sql('CREATE TABLE "visits" ("pet_id" BIGINT)');
  await sql('CREATE TABLE "tags" ("pet_id" BIGINT REFERENCES "pets" ("id"))');
});

/** Runs a statement apart from the service. */
const sql = (statement: string) => queryDatabase(service.folder, statement);

const petOf = (petId: number) => service.request(`/v1/pets/${petId}`, { key });
const nameOf = async (petId: number) => ((await (await petOf(petId)).json()) as { name: string }).name;
const listed = async () => (await service.json<{ id: number; name: string }[]>('/v1/pets?limit=100', { key })).body;
/** The name of a pet in the response with it, and in the list. */
const namesOf = async (petId: number) => [await nameOf(petId), (await listed()).find(({ id }) => id === petId)?.name];
const remove = (petId: number) => service.request(`/v1/pets/${petId}`, { key, method: 'DELETE' });
const invalidate = () => service.app.get(PetsService).invalidateCaches();

it('PetsService.get in a transaction finds a pet that this has created, and sees its changes', async () => {
  const pets = service.app.get(PetsService);
  await service.app.get(Database).write(async (manager) => {
    const { id } = await pets.create({ name: 'new', categoryId: 1 });
    expect(await pets.get(String(id))).toMatchObject({ id, name: 'new' });
    await manager.update(PetEntity, id, { name: 'renamed' });
    expect(await pets.get(String(id))).toMatchObject({ id, name: 'renamed' });
  });
});

describe('a write to pets that bypasses PetsService and invalidates the caches', () => {
  it('is visible in the next response', async () => {
    const petId = await newPet('before');
    for (const name of ['one', 'two']) {
      expect(await namesOf(petId)).not.toContain(name);
      await dataSource.getRepository(PetEntity).update(petId, { name });
      await invalidate();
      expect(await namesOf(petId)).toEqual([name, name]);
    }
  });

  it.each<[string, (work: (manager: EntityManager) => Promise<unknown>) => Promise<unknown>]>([
    ['Database.write', (work) => service.app.get(Database).write(work)],
    ['dataSource.transaction', (work) => dataSource.transaction(work)],
  ])('in the transaction of %s is visible in the next response after the commit', async (_, begin) => {
    const petId = await newPet('before');
    await begin(async (manager) => {
      await invalidate();
      await manager.update(PetEntity, petId, { name: 'after' });
      expect(await namesOf(petId)).toEqual(['before', 'before']);
    });
    expect(await namesOf(petId)).toEqual(['after', 'after']);
  });

  it('that adds or removes a pet is visible in the next response', async () => {
    const before = await listed();
    const added = await dataSource.getRepository(PetEntity).save({ name: 'added', categoryId: '7', status: null });
    await invalidate();
    expect((await listed()).length).toBe(before.length + 1);
    await dataSource.getRepository(PetEntity).delete(added.id);
    await invalidate();
    expect(await listed()).toEqual(before);
    expect((await petOf(added.id)).status).toBe(404);
  });

  it('is not visible if it was rolled back', async () => {
    const petId = await newPet('kept');
    await notesOf(service).insert({ text: 'taken' });
    const answer = await service.post(`/v1/notes/${petId}/renaming`, key, { text: 'taken', petId });
    expect(answer.status).toBe(500);
    expect(await nameOf(petId)).toBe('kept');
  });
});

it('a write to pets by another program is visible after a second, in spite of the cache', async () => {
  const petId = await newPet('before');
  expect(await namesOf(petId)).toEqual(['before', 'before']);
  await sql(`UPDATE "pets" SET "name" = 'after' WHERE "id" = ${petId}`);
  await sql(`INSERT INTO "pets" ("name", "category_id") VALUES ('added', 1)`);
  const now = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 1_000);
  expect(await namesOf(petId)).toEqual(['after', 'after']);
  expect((await listed()).at(-1)).toHaveProperty('name', 'added');
  clock.mockRestore();
});

describe('a pet that a transaction of an extension reads', () => {
  it('is not removed before the transaction ends, so nothing is left that belongs to it', async () => {
    const outcomes: boolean[] = [];
    for (let n = 0; n < 30; n += 1) {
      const petId = await newPet('Rex');
      const booking = service.app.get(Visits).book(petId);
      const [booked, removed] = await Promise.all([
        booking.then(
          () => true,
          ({ code }: DomainError) => code !== 'pet_not_found',
        ),
        remove(petId),
      ]);
      outcomes.push(booked);
      expect(removed.status).toBe(204);
    }
    expect(outcomes).toContain(true);
    expect(await sql('SELECT * FROM "visits"')).toEqual([]);
  });

  it('can be changed by others meanwhile', async () => {
    const petId = await newPet('Bella');
    await service.app.get(Database).write(async () => {
      await service.app.get(PetsService, { strict: false }).get(String(petId));
      if (!onPostgres) return;
      const changed = await service.json(`/v1/pets/${petId}`, { key, method: 'PATCH', body: { name: 'Bello' } });
      expect(changed.status).toBe(200);
    });
  });
});

describe('a pet that rows of an extension reference', () => {
  it('returns 409 on removal until those rows are removed', async () => {
    const petId = await newPet('Bella');
    await notesOf(service).save({ text: 'refers', pet: { id: petId } });
    expect(await errorOf(await remove(petId))).toEqual({
      code: 'conflict',
      message: 'Other records refer to the pet, so it cannot be removed.',
      status: 409,
    });
    expect((await petOf(petId)).status).toBe(200);
    await notesOf(service).deleteAll();
    expect((await remove(petId)).status).toBe(204);
  });

  it('is removed if a listener to its removal removes those rows', async () => {
    const petId = await newPet('Bella');
    await sql(`INSERT INTO "tags" VALUES (${petId})`);
    expect((await remove(petId)).status).toBe(204);
    expect(await sql('SELECT * FROM "tags"')).toEqual([]);
  });

  it.each(['ON DELETE RESTRICT', ...(onPostgres ? ['DEFERRABLE INITIALLY DEFERRED'] : [])])(
    'cannot be removed with %s',
    async (rule) => {
      await sql(`CREATE TABLE "ruled" ("pet_id" BIGINT REFERENCES "pets" ("id") ${rule})`);
      const petId = await newPet('Bella');
      await sql(`INSERT INTO "ruled" VALUES (${petId})`);
      expect(await refusalOf(remove(petId))).toBe('409 conflict');
      await sql('DROP TABLE "ruled"');
      expect((await remove(petId)).status).toBe(204);
    },
  );
});
