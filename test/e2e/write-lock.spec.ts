import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Sqlite from 'sqlite-driver';
import { AMPLE, key, service, shareApp } from '../support/folders.js';

shareApp({}, AMPLE);

const create = (name: string) => service.post('/v1/pets', key, { name, categoryId: 1 });

const countOf = (name: string) => {
  const database = new Sqlite(join(service.folder, 'petstore.sqlite'), { readonly: true });
  const row = database.prepare('SELECT count(*) AS n FROM pets WHERE name = ?').get(name) as { n: number };
  database.close();
  return row.n;
};

describe('a write lock that another connection holds', () => {
  it('delays a create, which then succeeds, but no read', async () => {
    const database = new Sqlite(join(service.folder, 'petstore.sqlite'));
    await create('known');
    database.exec('BEGIN IMMEDIATE');
    let isCreated = false;
    const creating = create('patient').finally(() => (isCreated = true));
    // All while the lock is held, for no longer than a create waits for it.
    for (let n = 0; n < 10; n += 1) {
      expect((await service.request(`/v1/pets?after=${n + 1}`, { key })).status).toBe(200);
    }
    expect(isCreated).toBe(false);
    expect(countOf('patient')).toBe(0);
    database.exec('COMMIT');
    database.close();
    expect((await creating).status).toBe(201);
    expect(countOf('patient')).toBe(1);
  });
});
