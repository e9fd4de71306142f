import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Sqlite from 'sqlite-driver';
import { databaseUrl } from '../support/databases.js';
import { AMPLE, Folders, makeKeys } from '../support/folders.js';
import { ask, JSON_TYPE } from '../support/http.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';

const folders = new Folders();
let folder: string;
let key: string;
let service: ServiceProcess;

beforeAll(async () => {
  folder = folders.make();
  [key = ''] = await makeKeys(folder, AMPLE);
  service = await startProcess({ folder, env: { DATABASE_URL: databaseUrl(folder) } });
});
afterAll(async () => {
  await service.stop('SIGKILL');
  await folders.remove();
});

const create = (name: string) =>
  ask(service.port, {
    method: 'POST',
    path: '/v1/pets',
    key,
    headers: JSON_TYPE,
    body: JSON.stringify({ name, categoryId: 1 }),
  });

const countOf = (name: string) => {
  const database = new Sqlite(join(folder, 'petstore.sqlite'), { readonly: true });
  const row = database.prepare('SELECT count(*) AS n FROM pets WHERE name = ?').get(name) as { n: number };
  database.close();
  return row.n;
};

describe('a write lock that another process holds', () => {
  it('delays a create, which then succeeds, but no read', async () => {
    const database = new Sqlite(join(folder, 'petstore.sqlite'));
    await create('known');
    database.exec('BEGIN IMMEDIATE');
    const creating = create('patient').then(({ status }) => status);
    // All while the lock is held, for no longer than a create waits for it.
    for (let n = 0; n < 10; n += 1) {
      expect((await ask(service.port, { path: `/v1/pets?after=${n + 1}`, key })).status).toBe(200);
    }
    expect(await Promise.race([creating, delay(500, 'waiting')])).toBe('waiting');
    expect(countOf('patient')).toBe(0);
    database.exec('COMMIT');
    database.close();
    expect(await creating).toBe(201);
    expect(countOf('patient')).toBe(1);
  });
});
