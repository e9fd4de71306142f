import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { onPostgres, queryDatabase } from '../support/databases.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';

const BODIES = Array.from({ length: 40 }, (_, n) => JSON.stringify({ name: `pet ${n}`, categoryId: 1 }));

shareApp({}, AMPLE);
beforeAll(async () => {
  await refuse('pets', '"name" = \'refused\'');
});
afterEach(async () => {
  await queryDatabase(service.folder, 'DELETE FROM "pets"');
});

/** Has the database refuse rows of a table. */
async function refuse(table: string, condition: string): Promise<void> {
  await queryDatabase(
    service.folder,
    onPostgres
      ? `ALTER TABLE "${table}" ADD CHECK (NOT (${condition}))`
      : `CREATE TRIGGER "refuse_${table}" BEFORE INSERT ON "${table}" WHEN ${condition.replace('"', 'NEW."')} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
  );
}

describe('a create for which the database refuses the pet', () => {
  it('fails alone: the others of its batch and later ones succeed', async () => {
    const refused = '{"name":"refused","categoryId":1}';
    const bodies = [...BODIES, refused, ...BODIES];
    const statuses = (await Promise.all(bodies.map((body) => service.post('/v1/pets', key, body)))).map(
      ({ status }) => status,
    );
    expect(statuses).toEqual(bodies.map((body) => (body === refused ? 500 : 201)));
    const stored = await queryDatabase<{ name: string }>(service.folder, 'SELECT "name" FROM "pets"');
    const names = [...BODIES, ...BODIES].map((body) => (JSON.parse(body) as { name: string }).name);
    expect(stored.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    expect((await service.post('/v1/pets', key, '{"name":"later","categoryId":2}')).status).toBe(201);
  });
});
