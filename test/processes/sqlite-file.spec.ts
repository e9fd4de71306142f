import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import Sqlite from 'sqlite-driver';
import { Folders } from '../support/folders.js';
import { runMain, runProgram, startProcess } from '../support/service-process.js';

const folders = new Folders();
afterEach(() => folders.remove());

const SQLITE = { DATABASE_URL: 'sqlite:petstore.sqlite', PORT: '0' };

describe('an SQLite file', () => {
  it('has one service, also after one that was killed', async () => {
    const folder = folders.make();
    const first = await startProcess({ folder, env: SQLITE });
    const { code, stderr } = await runMain({ folder, env: SQLITE });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/Process \d+ on \S+ already serves \S+petstore\.sqlite/)]);
    await first.stop('SIGKILL');
    await (await startProcess({ folder, env: SQLITE })).stop();
  });

  it('is served by one of two processes that start at once, with one key and one set of pets', async () => {
    const folder = folders.make();
    const outcomes = await Promise.allSettled([startProcess({ folder }), startProcess({ folder })]);
    const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const [stopped] = await Promise.all(started.map((one) => one.stop()));
    expect(started).toHaveLength(1);
    expect(new Set(stopped?.stdout.match(/psk_\w+/g)).size).toBe(1);
    const database = new Sqlite(join(folder, 'data/petstore.sqlite'), { readonly: true });
    const pets = database.prepare('SELECT count(*) AS "all", count(DISTINCT name) AS "names" FROM pets').get();
    database.close();
    expect(pets).toEqual({ all: 5, names: 5 });
  });

  it('is migrated, and copied by the backup program', async () => {
    const folder = folders.make();
    expect(await runProgram('migrate.cli.js', [], { folder, env: SQLITE })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"no migration is pending"'),
      stderr: '',
    });
    expect(await runProgram('backup.cli.js', ['backup.sqlite'], { folder, env: SQLITE })).toMatchObject({
      code: 0,
      stdout: 'backup.sqlite is complete and intact.\n',
      stderr: '',
    });
  });
});
