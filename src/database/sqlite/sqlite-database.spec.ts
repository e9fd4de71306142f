import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import Sqlite from 'sqlite-driver';
import type { EntityManager } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { SqliteDatabase, sqliteOptions } from './sqlite-database.js';
import { sqliteFile } from './sqlite-file.js';

/** Longer than a busy machine delays a write. */
const PATIENT_MS = 60_000;
const timeouts = { DATABASE_TIMEOUT_MS: PATIENT_MS, DATABASE_TRANSACTION_TIMEOUT_MS: PATIENT_MS };

const open = (file: string) => new SqliteDatabase(sqliteOptions(file, { entities: [] }), timeouts).initialize();

let folder: string;
let database: SqliteDatabase;
/** Of the database itself. */
let connection: Sqlite.Database;
/** Of another process. */
let other: Sqlite.Database;

// Migrations are logged.
beforeAll(() => Logger.overrideLogger(false));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'petstore-queue-'));
  const file = join(folder, 'queue.sqlite');
  database = await open(file);
  connection = (database.driver as BetterSqlite3Driver).databaseConnection;
  await database.query('CREATE TABLE "notes" ("text" TEXT NOT NULL UNIQUE) STRICT');
  other = new Sqlite(file);
});

afterEach(async () => {
  timeouts.DATABASE_TIMEOUT_MS = PATIENT_MS;
  other.close();
  await database.destroy();
  rmSync(folder, { recursive: true });
});

const insert = (text: string) => (manager: EntityManager) => manager.query('INSERT INTO "notes" VALUES (?)', [text]);

/** What another process finds. */
const notes = () => other.prepare('SELECT "text" FROM "notes" ORDER BY "text"').pluck().all();

describe('a write to SQLite', () => {
  it('is in no transaction with writes that wait at the same time', async () => {
    const exec = jest.spyOn(connection, 'exec');
    await Promise.all(['a', 'b', 'c'].map((text) => database.write(insert(text))));
    expect(exec.mock.calls.filter(([sql]) => sql === 'COMMIT')).toHaveLength(3);
    expect(notes()).toEqual(['a', 'b', 'c']);
  });

  it('waits for a transaction in progress, and fails as unavailable if that takes too long', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const long = database.write(async (manager) => {
      await insert('a')(manager);
      begun.resolve();
      await promise;
    });
    await begun.promise;
    timeouts.DATABASE_TIMEOUT_MS = 300;
    const waiting = Promise.allSettled([
      database.write(insert('b')),
      database.query(`INSERT INTO "notes" VALUES ('c')`),
    ]);
    for (const outcome of await waiting)
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(DomainError) });
    resolve();
    await long;
    await database.write(insert('d'));
    expect(notes()).toEqual(['a', 'd']);
  });

  it('fails as unavailable with its whole transaction while the disk is full, even if it goes on after the failure', async () => {
    const pages = connection.pragma('page_count', { simple: true });
    connection.pragma(`max_page_count = ${pages}`);
    const goesOn = database.write(async (manager) => {
      await insert('a')(manager);
      const both = [insert('x'.repeat(100_000))(manager), insert('b')(manager)];
      await Promise.allSettled(both);
      await insert('c')(manager).catch(() => undefined);
    });
    await expect(goesOn).rejects.toBeInstanceOf(DomainError);
    expect(notes()).toEqual([]);
    connection.pragma('max_page_count = 1000000');
    await database.write(insert('d'));
    expect(notes()).toEqual(['d']);
  });

  it('is rejected if the commit fails, and later writes succeed', async () => {
    const exec = connection.exec.bind(connection);
    const broken = jest.spyOn(connection, 'exec').mockImplementation((sql) => {
      if (sql === 'COMMIT') throw new Error('no commit');
      return exec(sql);
    });
    await expect(database.write(insert('a'))).rejects.toThrow('no commit');
    broken.mockRestore();
    await database.write(insert('b'));
    expect(notes()).toEqual(['b']);
  });
});

const FULL = 2;

async function settingsOf(manager: EntityManager): Promise<object> {
  const names = ['busy_timeout', 'cache_size', 'journal_mode'];
  const settings = await Promise.all(names.map((name) => manager.query<object[]>(`PRAGMA ${name}`)));
  return Object.assign({}, ...settings.flat());
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('the connections to SQLite', () => {
  it('sync each commit, never wait for a lock within a statement, and cache 4 MiB of pages each', async () => {
    const synchronous = await database.write((manager) => manager.query('PRAGMA synchronous'));
    expect(synchronous).toEqual([{ synchronous: FULL }]);
    const [writing, reading] = await Promise.all([database.write(settingsOf), settingsOf(database.manager)]);
    expect(writing).toEqual({ timeout: 0, cache_size: -4_096, journal_mode: 'wal' });
    expect(reading).toEqual(writing);
  });

  it('create files and folders that only their owner can access', async () => {
    const below = join(folder, 'one/two');
    const created = await open(join(below, 'x.sqlite'));
    const modes = ['', 'x.sqlite', 'x.sqlite-wal', 'x.sqlite-shm', '..'].map((name) => modeOf(join(below, name)));
    await created.destroy();
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600, 0o700]);
  });

  it('keep the permissions of existing files and folders', async () => {
    const file = join(folder, 'x.sqlite');
    chmodSync(folder, 0o755);
    writeFileSync(file, '');
    chmodSync(file, 0o640);
    await (await open(file)).destroy();
    expect([modeOf(folder), modeOf(file)]).toEqual([0o755, 0o640]);
  });

  it('keep an in-memory database in a separate folder', () => {
    const [first, second] = [sqliteFile('sqlite::memory:'), sqliteFile('sqlite::memory:')];
    expect(first).not.toBe(second);
    expect(existsSync(dirname(first))).toBe(true);
  });
});
