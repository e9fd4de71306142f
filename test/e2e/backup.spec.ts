import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Sqlite from 'sqlite-driver';
import { runBackup } from '../../src/programs/run-backup.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { programIo, type Ran } from '../support/keys-command-line.js';
import { until } from '../support/until.js';

sharePreparedApp();

function backUp(args: readonly string[], url = `sqlite:${join(service.folder, 'petstore.sqlite')}`): Ran {
  const { io, ran } = programIo({ DATABASE_URL: url });
  return ran(runBackup(args, io));
}

const backups = () => readdirSync(service.folder).filter((name) => name.includes('backup'));

describe('the backup', () => {
  it('is complete, intact and private, while a service writes', async () => {
    const file = join(service.folder, 'backup.sqlite');
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
    expect(backups()).toEqual(['backup.sqlite']);
  });

  it('does not replace a file', () => {
    const file = join(service.folder, 'kept');
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
    const failed = backUp([join(service.folder, 'failed-backup')], url);
    expect(failed).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(reason) });
    expect(backups().filter((name) => name.startsWith('failed'))).toEqual([]);
  });

  it.each([[[]], [['']], [['--help']], [['one', 'two']]])('is refused with the arguments %j', (args) => {
    expect(backUp(args)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Pass the path of the backup file as the only argument.\n',
    });
  });
});
