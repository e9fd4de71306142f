import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import Sqlite from 'sqlite-driver';
import { key, service, shareApp } from '../support/folders.js';
import { withinASecond } from '../support/until.js';

shareApp();
beforeAll(async () => {
  await service.post('/v1/pets', key, '{"name":"Bella","categoryId":1}');
});

function byHand(sql: string): void {
  const database = new Sqlite(join(service.folder, 'petstore.sqlite'));
  database.exec(sql);
  database.close();
}

async function names(): Promise<string[]> {
  const pet = (await (await service.request('/v1/pets/1', { key })).json()) as { name: string };
  const list = (await (await service.request('/v1/pets', { key })).json()) as { name: string }[];
  return [pet, ...list].map(({ name }) => name);
}

/** Reads the pet and the list until the names in them are as expected, for a second at most. */
const namesWithinASecond = async (expected: readonly string[]) =>
  (await withinASecond(names, (found) => found.join() === expected.join())).result;

describe('a manual change to the database file while the service runs', () => {
  it('is visible within a second in spite of the cache', async () => {
    expect(await namesWithinASecond(['Bella', 'Bella'])).toEqual(['Bella', 'Bella']);
    byHand(`UPDATE pets SET name = 'Rex'`);
    expect(await namesWithinASecond(['Rex', 'Rex'])).toEqual(['Rex', 'Rex']);
    byHand(`INSERT INTO pets (name, category_id) VALUES ('Luna', 1)`);
    expect(await namesWithinASecond(['Rex', 'Rex', 'Luna'])).toEqual(['Rex', 'Rex', 'Luna']);
  });
});
