import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Database, PetEntity } from '../../src/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { AMPLE } from '../support/folders.js';
import { NOTES, notesOf } from '../support/notes.module.js';

let service: TestApp;
let dataSource: DataSource;
let key: string;

beforeAll(async () => {
  service = await startApp({ extensions: [NOTES] });
  dataSource = service.app.get(DataSource);
  key = await service.key(AMPLE);
});
afterAll(() => service.stop());

async function newPet(name: string): Promise<number> {
  const created = await service.post('/v1/pets', key, JSON.stringify({ name, categoryId: 1 }));
  return ((await created.json()) as { id: number }).id;
}

const nameOf = async (petId: number) =>
  ((await (await service.request(`/v1/pets/${petId}`, { key })).json()) as { name: string }).name;
const listed = async () =>
  (await (await service.request('/v1/pets?limit=100', { key })).json()) as { id: number; name: string }[];

describe('a write to pets that bypasses PetsService', () => {
  it.each<[string, (id: number, name: string) => Promise<unknown>]>([
    ['a repository', (id, name) => dataSource.getRepository(PetEntity).update(id, { name })],
    ['an entity', (id, name) => dataSource.getRepository(PetEntity).save({ id, name })],
    ['SQL', (id, name) => dataSource.query(`UPDATE "pets" SET "name" = '${name}' WHERE "id" = ${id}`)],
    ['SQL in capitals', (id, name) => dataSource.query(`UPDATE PETS SET NAME = '${name}' WHERE ID = ${id}`)],
    ['a transaction', (id, name) => dataSource.transaction((manager) => manager.update(PetEntity, id, { name }))],
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
      expect(await nameOf(petId)).toBe(name);
      expect((await listed()).find(({ id }) => id === petId)?.name).toBe(name);
    }
  });

  it('that adds or removes a pet is visible in the next response', async () => {
    const before = await listed();
    const added = await dataSource.getRepository(PetEntity).save({ name: 'added', categoryId: '7', status: null });
    expect((await listed()).length).toBe(before.length + 1);
    await dataSource.getRepository(PetEntity).delete(added.id);
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
});
