import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Sqlite from 'sqlite-driver';
import { lockDatabaseFile } from '../../src/database/sqlite/sqlite-file.js';
import { runBackup } from '../../src/programs/run-backup.js';
import { runMove } from '../../src/programs/run-move.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { programIo, type Ran } from '../support/keys-command-line.js';
import { until } from '../support/until.js';

/** Nothing listens there. */
const TARGET = 'postgres://user:password@127.0.0.1:1/petstore';

sharePreparedApp();

const fileOf = (name: string) => join(service.folder, name);
const filesWith = (text: string) => readdirSync(service.folder).filter((name) => name.includes(text));

function backUp(args: readonly string[], url = `sqlite:${fileOf('petstore.sqlite')}`): Ran {
  const { io, ran } = programIo({ DATABASE_URL: url });
  return ran(runBackup(args, io));
}

async function move(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  const { io, ran } = programIo(env);
  return ran(await runMove(args, io));
}

describe('the backup', () => {
  it('is complete, intact and private, while a service writes', async () => {
    const file = fileOf('backup.sqlite');
    const key = await service.key(AMPLE);
    let created = 0;
    const stop = new AbortController();
    const writing = Array.from({ length: 8 }, async () => {
      while (!stop.signal.aborted) {
        await service.post('/v1/pets', key, { name: 'Bella', categoryId: 1 });
        created += 1;
      }
    });
    await until(() => created > 100);
    const before = created;
    expect(backUp([file])).toEqual({ code: 0, stdout: `${file} is complete and intact.\n`, stderr: '' });
    stop.abort();
    await Promise.all(writing);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const copy = new Sqlite(file, { readonly: true });
    const pets = Number(copy.prepare('SELECT count(*) FROM pets').pluck().get());
    copy.close();
    expect(pets).toBeGreaterThanOrEqual(before);
    expect(pets).toBeLessThanOrEqual(created);
    expect(filesWith('backup')).toEqual(['backup.sqlite']);
  });

  it('does not replace a file', () => {
    const file = fileOf('kept');
    writeFileSync(file, 'text');
    expect(backUp([file])).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining('EEXIST') });
    expect(statSync(file).size).toBe(4);
  });

  it.each([
    ['sqlite:/nowhere/petstore.sqlite', 'There is no database at /nowhere/petstore.sqlite.'],
    ['sqlite::memory:', 'DATABASE_URL is an in-memory database'],
    ['postgres://localhost/petstore', 'Use pg_dump for PostgreSQL.'],
    ['mysql://localhost/petstore', 'DATABASE_URL must be'],
  ])('leaves no file if it fails: %s', (url, reason) => {
    const failed = backUp([fileOf('failed-backup')], url);
    expect(failed).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(reason) });
    expect(filesWith('failed')).toEqual([]);
  });

  it.each([[[]], [['']], [['--help']], [['one', 'two']]])('is refused with the arguments %j', (args) => {
    const stderr = 'Pass the path of the backup file as the only argument.\n';
    expect(backUp(args)).toEqual({ code: 2, stdout: '', stderr });
  });
});

describe('a move to PostgreSQL', () => {
  it.each([[[]], [['sqlite:petstore.sqlite']], [[TARGET, 'more']]])(
    'is refused with the arguments %j',
    async (args) => {
      const stderr = expect.stringMatching(/^Pass the URL of the target as the only argument, .*\.\n$/);
      const env = { DATABASE_URL: 'sqlite:/nowhere/petstore.sqlite' };
      expect(await move(args, env)).toEqual({ code: 2, stdout: '', stderr });
    },
  );

  it('is refused if the database is on PostgreSQL already', async () => {
    const stderr = 'DATABASE_URL names PostgreSQL. This command moves an SQLite database.\n';
    expect(await move([TARGET], { DATABASE_URL: TARGET })).toEqual({ code: 1, stdout: '', stderr });
  });

  it.each([
    ['sqlite:{}', 'There is no database at {}.'],
    ['sqlite::memory:', 'DATABASE_URL is an in-memory database'],
  ])('is refused if there is nothing to move, of which it creates nothing: %s', async (url, reason) => {
    const file = fileOf('mistyped.sqlite');
    const stderr = expect.stringContaining(reason.replace('{}', file));
    expect(await move([TARGET], { DATABASE_URL: url.replace('{}', file) })).toEqual({ code: 1, stdout: '', stderr });
    expect(filesWith('mistyped')).toEqual([]);
  });

  it('is refused while a service uses the database', async () => {
    const file = fileOf('petstore.sqlite');
    lockDatabaseFile(file);
    const stderr = expect.stringContaining(`Process ${process.pid} on ${hostname()} already serves ${file}.`);
    writeFileSync(fileOf('url'), `sqlite:${file}`);
    for (const env of [{ DATABASE_URL: `sqlite:${file}` }, { DATABASE_URL_FILE: fileOf('url') }])
      expect(await move([TARGET], env)).toEqual({ code: 1, stdout: '', stderr });
  });
});
