import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { startApp, type TestApp } from '../support/app.js';

let service: TestApp;
let key: string;

beforeAll(async () => {
  service = await startApp();
  key = await service.key();
  await service.post('/v1/pets', key, '{"name":"Bella","categoryId":1}');
});
afterAll(() => service.stop());

function byHand(sql: string): void {
  const database = new Sqlite(join(service.folder, 'petstore.sqlite'));
  database.exec(sql);
  database.close();
}

/** The names of the pet and of all on the list, as soon as they are what is expected, else as they are after two seconds. */
async function namesOnceThey(areExpected: (names: readonly string[]) => boolean): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    const pet = (await (await service.request('/v1/pets/1', { key })).json()) as { name: string };
    const list = (await (await service.request('/v1/pets', { key })).json()) as { name: string }[];
    const names = [pet, ...list].map(({ name }) => name);
    if (areExpected(names) || attempt === 100) return names;
    await delay(20);
  }
}

describe('what somebody changes in the file while the service runs', () => {
  it('shows at once, though answers are remembered', async () => {
    expect(await namesOnceThey(() => true)).toEqual(['Bella', 'Bella']);
    byHand(`UPDATE pets SET name = 'Rex'`);
    expect(await namesOnceThey((names) => names.every((name) => name === 'Rex'))).toEqual(['Rex', 'Rex']);
    byHand(`INSERT INTO pets (name, category_id) VALUES ('Luna', 1)`);
    expect(await namesOnceThey((names) => names.includes('Luna'))).toEqual(['Rex', 'Rex', 'Luna']);
  });
});
