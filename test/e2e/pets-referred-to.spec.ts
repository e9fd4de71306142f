import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { onPostgres, queryDatabase } from '../support/databases.js';
import { errorOf } from '../support/expectations.js';
import { AMPLE } from '../support/folders.js';
import { NOTES, notesOf } from '../support/notes.module.js';

let service: TestApp;
let key: string;

beforeAll(async () => {
  service = await startApp({ extensions: [NOTES] });
  key = await service.key(AMPLE);
});
afterAll(() => service.stop());

async function newPet(): Promise<number> {
  const created = await service.post('/v1/pets', key, '{"name":"Bella","categoryId":1}');
  return ((await created.json()) as { id: number }).id;
}

const remove = (petId: number) => service.request(`/v1/pets/${petId}`, { key, method: 'DELETE' });

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
