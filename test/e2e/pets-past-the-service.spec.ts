import { describe, expect, it } from '@jest/globals';
import { DataSource, type EntityManager } from 'typeorm';
import { Database, PetEntity, PetsService } from '../../src/index.js';
import { onPostgres, queryDatabase } from '../support/databases.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { NOTES, notesOf } from '../support/notes.module.js';
import { withinASecond } from '../support/until.js';

let dataSource: DataSource;
let key: string;
sharePreparedApp({ extensions: [NOTES] }, async () => {
  dataSource = service.app.get(DataSource);
  key = await service.key(AMPLE);
});

const newPet = async (name: string) =>
  (await service.json<{ id: number }>('/v1/pets', { key, body: { name, categoryId: 1 } })).body.id;
const nameOf = async (petId: number) =>
  ((await (await service.request(`/v1/pets/${petId}`, { key })).json()) as { name: string }).name;
const invalidate = () => service.app.get(PetsService).invalidateCaches();
const listed = async () =>
  (await (await service.request('/v1/pets?limit=100', { key })).json()) as { id: number; name: string }[];

/** Has each row that is inserted into a table run a statement. */
async function trigger(table: string, statement: string): Promise<void> {
  if (onPostgres)
    await queryDatabase(
      service.folder,
      `CREATE FUNCTION pulled() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NULL; END $$`,
    );
  const action = onPostgres ? 'FOR EACH ROW EXECUTE FUNCTION pulled()' : `BEGIN ${statement}; END`;
  await queryDatabase(service.folder, `CREATE TRIGGER "pulled" AFTER INSERT ON "${table}" ${action}`);
}

describe('a write to pets that bypasses PetsService and invalidates the caches', () => {
  it.each<[string, (id: number, name: string) => Promise<unknown>]>([
    ['a repository', (id, name) => dataSource.getRepository(PetEntity).update(id, { name })],
    ['an entity', (id, name) => dataSource.getRepository(PetEntity).save({ id, name })],
    ['SQL', (id, name) => dataSource.query(`UPDATE "pets" SET "name" = '${name}' WHERE "id" = ${id}`)],
    ['SQL in capitals', (id, name) => dataSource.query(`UPDATE PETS SET NAME = '${name}' WHERE ID = ${id}`)],
    [
      'a query builder in Database.write',
      (id, name) =>
        service.app
          .get(Database)
          .write((manager) => manager.createQueryBuilder().update(PetEntity).set({ name }).where({ id }).execute()),
    ],
  ])('by %s is visible in the next response', async (_, rename) => {
    const petId = await newPet('before');
    for (const name of ['one', 'two', 'three']) {
      expect(await nameOf(petId)).not.toBe(name);
      await listed();
      await rename(petId, name);
      await invalidate();
      expect(await nameOf(petId)).toBe(name);
      expect((await listed()).find(({ id }) => id === petId)?.name).toBe(name);
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
      expect(await nameOf(petId)).toBe('before');
      await listed();
    });
    expect(await nameOf(petId)).toBe('after');
    expect((await listed()).find(({ id }) => id === petId)?.name).toBe('after');
  });

  it('that adds or removes a pet is visible in the next response', async () => {
    const before = await listed();
    const added = await dataSource.getRepository(PetEntity).save({ name: 'added', categoryId: '7', status: null });
    await invalidate();
    expect((await listed()).length).toBe(before.length + 1);
    await dataSource.getRepository(PetEntity).delete(added.id);
    await invalidate();
    expect(await listed()).toEqual(before);
    expect((await service.request(`/v1/pets/${added.id}`, { key })).status).toBe(404);
  });

  it('is not visible if it was rolled back', async () => {
    const petId = await newPet('kept');
    await notesOf(service).insert({ text: 'taken' });
    const answer = await service.post(`/v1/notes/${petId}/renaming`, key, JSON.stringify({ text: 'taken', petId }));
    expect(answer.status).toBe(500);
    expect(await nameOf(petId)).toBe('kept');
  });

  it('by a trigger is visible in the next response', async () => {
    const petId = await newPet('before');
    await trigger('notes', `UPDATE "pets" SET "name" = 'by a trigger'`);
    await listed();
    await notesOf(service).insert({ text: 'pulls the trigger' });
    await invalidate();
    expect(await nameOf(petId)).toBe('by a trigger');
    expect(new Set((await listed()).map(({ name }) => name))).toEqual(new Set(['by a trigger']));
  });
});

describe('a write to pets that bypasses PetsService', () => {
  it('is visible within a second even if nobody invalidates the caches', async () => {
    const petId = await newPet('before');
    await nameOf(petId);
    await dataSource.getRepository(PetEntity).update(petId, { name: 'after' });
    const { result } = await withinASecond(
      () => nameOf(petId),
      (name) => name === 'after',
    );
    expect(result).toBe('after');
  });
});
