import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Sqlite from 'better-sqlite3';
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

const create = (name: string) => ask(service.port, { method: 'POST', path: '/v1/pets', key, headers: JSON_TYPE, body: JSON.stringify({ name, categoryId: 1 }) });

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
    const startMs = performance.now();
    const creating = create('patient').then(({ status }) => ({ status, tookMs: performance.now() - startMs }));
    const readsMs: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      const readMs = performance.now();
      const answer = await ask(service.port, { path: `/v1/pets?after=${n + 1}`, key });
      expect(answer.status).toBe(200);
      readsMs.push(performance.now() - readMs);
    }
    await delay(Math.max(0, 1_000 - (performance.now() - startMs)));
    const heldMs = performance.now() - startMs;
    expect(countOf('patient')).toBe(0);
    database.exec('COMMIT');
    database.close();
    const { status, tookMs } = await creating;
    expect(status).toBe(201);
    expect(tookMs).toBeGreaterThan(heldMs - 10);
    expect(readsMs.toSorted((a, b) => a - b)[10]).toBeLessThan(100);
    expect(countOf('patient')).toBe(1);
  });
});
