import { readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { lockDatabaseFile } from '../../src/database/sqlite/sqlite-file.js';
import { runMove } from '../../src/programs/run-move.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { programIo, type Ran } from '../support/keys-command-line.js';

/** Nothing listens there. */
const TARGET = 'postgres://user:password@127.0.0.1:1/petstore';

sharePreparedApp();

async function move(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  const { io, ran } = programIo(env);
  return ran(await runMove(args, io));
}

describe('a move to PostgreSQL', () => {
  it.each([[[]], [['sqlite:petstore.sqlite']], [[TARGET, 'more']]])(
    'is refused with the arguments %j',
    async (args) => {
      expect(await move(args, { DATABASE_URL: 'sqlite:/nowhere/petstore.sqlite' })).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/^Pass the URL of the target as the only argument, .*\.\n$/),
      });
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
    const file = join(service.folder, 'mistyped.sqlite');
    const stderr = expect.stringContaining(reason.replace('{}', file));
    expect(await move([TARGET], { DATABASE_URL: url.replace('{}', file) })).toEqual({ code: 1, stdout: '', stderr });
    expect(readdirSync(service.folder).filter((name) => name.startsWith('mistyped'))).toEqual([]);
  });

  it('is refused while a service uses the database', async () => {
    const file = join(service.folder, 'petstore.sqlite');
    lockDatabaseFile(file);
    const stderr = expect.stringContaining(`Process ${process.pid} on ${hostname()} already serves ${file}.`);
    const urlFile = join(service.folder, 'url');
    writeFileSync(urlFile, `sqlite:${file}`);
    for (const env of [{ DATABASE_URL: `sqlite:${file}` }, { DATABASE_URL_FILE: urlFile }])
      expect(await move([TARGET], env)).toEqual({ code: 1, stdout: '', stderr });
  });
});
