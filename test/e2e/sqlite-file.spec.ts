import { existsSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'sqlite-driver';
import { afterEach, describe, expect, it } from '@jest/globals';
import { databaseUrl } from '../support/databases.js';
import { Folders, makeKeys } from '../support/folders.js';
import { ask, JSON_TYPE } from '../support/http.js';
import { runMain, runProgram, startProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

const folders = new Folders();
afterEach(() => folders.remove());

const SQLITE = { DATABASE_URL: 'sqlite:petstore.sqlite' };

describe('a second service on an SQLite file', () => {
  it('does not start, and says which process serves the file', async () => {
    const folder = folders.make();
    const first = await startProcess({ folder, env: SQLITE });
    const { code, stderr } = await runMain({ folder, env: { ...SQLITE, PORT: '0' } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/Process \d+ on \S+ already serves \S+petstore\.sqlite/);
    symlinkSync(join(folder, 'petstore.sqlite'), join(folder, 'link.sqlite'));
    const linked = await runMain({ folder, env: { DATABASE_URL: 'sqlite:link.sqlite', PORT: '0' } });
    expect([linked.code, linked.stderr]).toEqual([1, expect.stringContaining('already serves')]);
    await first.stop('SIGKILL');
    await (await startProcess({ folder, env: SQLITE })).stop();
  });
});

describe('a folder that cannot be made', () => {
  it('ends the start with a sentence', async () => {
    const env = { DATABASE_URL: 'sqlite:/proc/nowhere/petstore.sqlite', PORT: '0' };
    const { code, stderr } = await runMain({ folder: folders.make(), env });
    expect([code, stderr]).toEqual([1, expect.stringContaining('/proc/nowhere')]);
  });
});

describe('the backup', () => {
  it('is complete, intact and private, while a service writes', async () => {
    const folder = folders.make();
    const [key = ''] = await makeKeys(folder, { plan: 'enterprise', perMinute: 1_000_000, perDay: 1_000_000 });
    const service = await startProcess({ folder, env: { DATABASE_URL: databaseUrl(folder) } });
    let created = 0;
    const stop = new AbortController();
    const writing = Array.from({ length: 8 }, async () => {
      while (!stop.signal.aborted) {
        const body = '{"name":"Bella","categoryId":1}';
        await ask(service.port, { method: 'POST', path: '/v1/pets', key, headers: JSON_TYPE, body });
        created += 1;
      }
    });
    await until(() => created > 100);
    const before = created;
    const env = { DATABASE_URL: databaseUrl(folder) };
    const { code, stdout } = await runProgram('backup.cli.js', ['backup.sqlite'], { folder, env });
    stop.abort();
    await Promise.all(writing);
    await service.stop();
    expect([code, stdout]).toEqual([0, 'backup.sqlite is complete and intact.\n']);
    const file = join(folder, 'backup.sqlite');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const copy = new Sqlite(file, { readonly: true });
    const pets = Number(copy.prepare('SELECT count(*) FROM pets').pluck().get());
    expect(pets).toBeGreaterThanOrEqual(before);
    expect(pets).toBeLessThanOrEqual(created);
    copy.close();
  });

  it('does not replace a file, and leaves none if it fails', async () => {
    const folder = folders.make();
    const back = (...args: string[]) =>
      runProgram('backup.cli.js', args, { folder, env: { DATABASE_URL: 'sqlite:missing.sqlite' } });
    expect(await back('backup.sqlite')).toMatchObject({ code: 1, stderr: expect.stringContaining('unable to open') });
    expect(readdirSync(folder)).toEqual([]);
    for (const wrong of [[], ['--help'], ['one', 'two']])
      expect(await back(...wrong)).toMatchObject({
        code: 2,
        stderr: 'Name the file of the backup, and nothing else.\n',
      });
    await (await startProcess({ folder, env: SQLITE })).stop();
    const again = await runProgram('backup.cli.js', ['petstore.sqlite'], { folder, env: SQLITE });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('EEXIST') });
    expect(existsSync(join(folder, 'petstore.sqlite'))).toBe(true);
  });
});
