import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { getDataSourceToken, getRepositoryToken } from '@nestjs/typeorm';
import { createApp, Env, loadEnv } from '../../src/index.js';
import { SqliteTestDatabase, startTestApp, type TestAppOptions } from '../../src/testing/index.js';
import { startApp } from '../support/app.js';
import { makeFolder } from '../support/databases.js';
import { NoteEntity, NOTES, NotesController } from '../support/notes.module.js';

async function prefixOf(options: TestAppOptions): Promise<string> {
  const service = await startTestApp(options);
  const { REDIS_PREFIX } = service.app.get(Env);
  await service.stop();
  return REDIS_PREFIX;
}

describe('the test kit, which uses databases of tests only', () => {
  it('refuses options that are unknown, or would lead to another database than one of the tests', async () => {
    const folder = makeFolder();
    const data = join(folder, 'data');
    mkdirSync(data);
    const file = join(data, 'petstore.sqlite');
    writeFileSync(file, 'the data of a team');
    writeFileSync(join(folder, '.env'), `DATABASE_URL=sqlite:${file}\n`);
    const url = `sqlite:${file}`;
    const refused: [unknown, RegExp][] = [
      [{ database: 'postgres' }, /database must be .* postgresUrl/],
      [{ database: null }, /database must be/],
      [{ database: { url, query: async () => [] } }, /database must be/],
      [{ databaseUrl: url }, /no option databaseUrl.*database, postgresUrl/],
      ['sqlite', /no option/],
      [{ env: { DATABASE_URL: url } }, /env cannot have DATABASE_URL/],
      [{ env: { DATABASE_URL_FILE: '.env' } }, /env cannot have DATABASE_URL/],
      [{ postgresUrl: '', database: new SqliteTestDatabase() }, /not both/],
      [{ postgresUrl: '' }, /URL of the server/],
      [{ postgresUrl: null }, /URL of the server/],
      [{ override: (builder: TestingModuleBuilder) => builder.overrideProvider(Env).useValue(loadEnv()) }, /Env/],
    ];
    const { DATABASE_URL } = process.env;
    const current = process.cwd();
    process.chdir(folder);
    process.env['DATABASE_URL'] = url;
    try {
      for (const [options, message] of refused)
        await expect(startTestApp(options as TestAppOptions)).rejects.toThrow(message);
      expect(() => new SqliteTestDatabase('data')).toThrow('not the folder of a test database');
      await expect(createApp({ env: {} as Env })).rejects.toThrow('createApp needs env');
      const service = await startTestApp({ env: { DATABASE_URL: '' } });
      expect(await service.database.query('SELECT "id" FROM "pets"')).toEqual([]);
      await service.stop();
    } finally {
      process.chdir(current);
      if (DATABASE_URL === undefined) delete process.env['DATABASE_URL'];
      else process.env['DATABASE_URL'] = DATABASE_URL;
    }
    expect([readdirSync(data), readFileSync(file, 'utf8')]).toEqual([['petstore.sqlite'], 'the data of a team']);
    rmSync(folder, { recursive: true });
  });

  it('keeps counts in Redis under a prefix of its database', async () => {
    const database = new SqliteTestDatabase();
    const prefixes = [await prefixOf({}), await prefixOf({ env: { REDIS_PREFIX: 'petstore:' }, database })];
    expect(prefixes).toEqual([
      expect.stringMatching(/^petstore-test-[0-9a-f]{16}:$/),
      expect.stringMatching(/^petstore-test-[0-9a-f]{16}:petstore:$/),
    ]);
    expect(prefixes[1]).not.toContain(prefixes[0]);
    await database.remove();
  });
});

describe('a controller of an extension', () => {
  it("works in Nest's testing module without providers of the service, also after the service has started", async () => {
    await (await startApp({ extensions: [NOTES] })).stop();
    const testing = await Test.createTestingModule({
      controllers: [NotesController],
      providers: [
        { provide: getRepositoryToken(NoteEntity), useValue: { save: async () => ({ id: 7 }) } },
        { provide: getDataSourceToken(), useValue: {} },
      ],
    }).compile();
    const app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
    await app.init();
    const response = await app.inject({ method: 'POST', url: '/notes', payload: { text: 'Feed Rex', petId: 1 } });
    expect([response.statusCode, response.json()]).toEqual([200, { id: 7 }]);
    await app.close();
  });
});
