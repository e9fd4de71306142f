import { describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  BeforeCommit,
  Database,
  type DomainError,
  type DomainEvent,
  PetsModule,
  PetsService,
} from '../../src/index.js';
import { startApp } from '../support/app.js';
import { onPostgres, queryDatabase } from '../support/databases.js';
import { errorOf } from '../support/expectations.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { NOTES, notesOf } from '../support/notes.module.js';

let key: string;
sharePreparedApp({ extensions: [NOTES] }, async () => {
  key = await service.key(AMPLE);
});

const newPet = async () =>
  (await service.json<{ id: number }>('/v1/pets', { key, body: { name: 'Bella', categoryId: 1 } })).body.id;
const remove = (petId: number) => service.request(`/v1/pets/${petId}`, { key, method: 'DELETE' });

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

@Module({ imports: [PetsModule], providers: [Visits] })
class VisitsModule {}

describe('a pet that a transaction of an extension reads', () => {
  it('is not removed before the transaction ends, so nothing is left that belongs to it', async () => {
    const visits = await startApp({ extensions: [{ module: VisitsModule }] });
    await queryDatabase(visits.folder, 'CREATE TABLE "visits" ("pet_id" BIGINT)');
    const as = await visits.key(AMPLE);
    const outcomes: boolean[] = [];
    for (let n = 0; n < 30; n += 1) {
      const { body } = await visits.json<{ id: number }>('/v1/pets', { key: as, body: { name: 'Rex', categoryId: 1 } });
      const [booked, removed] = await Promise.all([
        visits.app
          .get(Visits)
          .book(body.id)
          .then(
            () => true,
            ({ code }: DomainError) => code !== 'pet_not_found',
          ),
        visits.json(`/v1/pets/${body.id}`, { key: as, method: 'DELETE' }),
      ]);
      outcomes.push(booked);
      expect(removed.status).toBe(204);
    }
    expect(outcomes).toContain(true);
    expect(await queryDatabase(visits.folder, 'SELECT * FROM "visits"')).toEqual([]);
    await visits.stop();
  });

  it('can be changed by others meanwhile', async () => {
    const petId = await newPet();
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
    const petId = await newPet();
    await notesOf(service).save({ text: 'refers', pet: { id: petId } });
    expect(await errorOf(await remove(petId))).toEqual({
      code: 'conflict',
      message: 'Other records refer to the pet, so it cannot be removed.',
      status: 409,
    });
    expect((await service.request(`/v1/pets/${petId}`, { key })).status).toBe(200);
    await notesOf(service).deleteAll();
    expect((await remove(petId)).status).toBe(204);
  });

  it.each(['ON DELETE RESTRICT', ...(onPostgres ? ['DEFERRABLE INITIALLY DEFERRED'] : [])])(
    'cannot be removed with %s',
    async (rule) => {
      await queryDatabase(service.folder, `CREATE TABLE "ruled" ("pet_id" BIGINT REFERENCES "pets" ("id") ${rule})`);
      const petId = await newPet();
      await queryDatabase(service.folder, `INSERT INTO "ruled" VALUES (${petId})`);
      expect(await errorOf(await remove(petId))).toMatchObject({ status: 409, code: 'conflict' });
      await queryDatabase(service.folder, 'DROP TABLE "ruled"');
      expect((await remove(petId)).status).toBe(204);
    },
  );
});
