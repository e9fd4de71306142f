import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { databaseUrl, queryDatabase } from '../support/databases.js';
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
});
beforeEach(async () => {
  service = await startProcess({ folder, env: { DATABASE_URL: databaseUrl(folder) } });
});
afterEach(() => service.stop('SIGKILL'));
afterAll(() => folders.remove());

const create = (name: string) =>
  ask(service.port, {
    method: 'POST',
    path: '/v1/pets',
    key,
    headers: JSON_TYPE,
    body: JSON.stringify({ name, categoryId: 1 }),
  });

const countOf = async (name: string) =>
  (await queryDatabase(folder, `SELECT id FROM pets WHERE name = '${name}'`)).length;

describe('SIGTERM', () => {
  it('is not delayed by a collector of traces that does not respond, which the log says', async () => {
    await service.stop('SIGTERM');
    const env = { DATABASE_URL: databaseUrl(folder), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    service = await startProcess({ folder, env });
    await ask(service.port, { path: '/v1/pets' });
    // After 30 seconds, it would exit with 1.
    const { code, stdout } = await service.stop('SIGTERM');
    expect(code).toBe(0);
    expect(stdout).toContain('"message":"traces were not exported","reason":"');
    expect(stdout).toContain('"message":"stopped"');
    expect(stdout).not.toContain('"level":"fatal"');
  });

  it('leaves nothing that disturbs the next start', async () => {
    expect((await create('before')).status).toBe(201);
    await service.stop('SIGTERM');
    service = await startProcess({ folder, env: { DATABASE_URL: databaseUrl(folder) } });
    expect(await countOf('before')).toBe(1);
    expect((await create('after')).status).toBe(201);
  });
});
