import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { SqliteDatabase, sqliteOptions } from './sqlite-database.js';
import { sqliteFile } from './sqlite-file.js';

const FULL = 2;

const TIMEOUTS = { DATABASE_TIMEOUT_MS: 10_000, DATABASE_TRANSACTION_TIMEOUT_MS: 60_000 };

const open = (file: string) => new SqliteDatabase(sqliteOptions(file, { entities: [] }), TIMEOUTS).initialize();

async function settingsOf(manager: EntityManager): Promise<object> {
  const settings = await Promise.all(
    ['busy_timeout', 'cache_size', 'journal_mode'].map((name) => manager.query<object[]>(`PRAGMA ${name}`)),
  );
  return Object.assign({}, ...settings.flat());
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('the connections to SQLite', () => {
  it('sync each commit, never wait for a lock within a statement, and cache 4 MiB of pages each', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'petstore-options-'));
    const database = await open(join(folder, 'x.sqlite'));
    const synchronous = await database.write((manager) => manager.query('PRAGMA synchronous'));
    expect(synchronous).toEqual([{ synchronous: FULL }]);
    const [writing, reading] = await Promise.all([database.write(settingsOf), settingsOf(database.manager)]);
    expect(writing).toEqual({ timeout: 0, cache_size: -4_096, journal_mode: 'wal' });
    expect(reading).toEqual(writing);
    await database.destroy();
    rmSync(folder, { recursive: true });
  });

  it('create files and folders that only their owner can access', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'petstore-options-'));
    const below = join(folder, 'one/two');
    const database = await open(join(below, 'x.sqlite'));
    const modes = ['', 'x.sqlite', 'x.sqlite-wal', 'x.sqlite-shm', '..'].map((name) => modeOf(join(below, name)));
    await database.destroy();
    rmSync(folder, { recursive: true });
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600, 0o700]);
  });

  it('keep the permissions of existing files and folders', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'petstore-options-'));
    const file = join(folder, 'x.sqlite');
    chmodSync(folder, 0o755);
    writeFileSync(file, '');
    chmodSync(file, 0o640);
    await (await open(file)).destroy();
    const modes = [modeOf(folder), modeOf(file)];
    rmSync(folder, { recursive: true });
    expect(modes).toEqual([0o755, 0o640]);
  });

  it('keep an in-memory database in a separate folder', () => {
    const [one, other] = [sqliteFile('sqlite::memory:'), sqliteFile('sqlite::memory:')];
    expect(one).not.toBe(other);
    expect(existsSync(dirname(one))).toBe(true);
  });
});
