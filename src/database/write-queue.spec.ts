import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiError } from '../errors/index.js';
import { WriteQueue } from './write-queue.js';

let folder: string;
let file: string;
let dataSource: DataSource;
let queue: WriteQueue;
let other: Sqlite.Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'petstore-queue-'));
  file = join(folder, 'queue.sqlite');
  dataSource = await new DataSource({ type: 'better-sqlite3', database: file, enableWAL: true, timeout: 0 }).initialize();
  await dataSource.query('CREATE TABLE "notes" ("text" TEXT NOT NULL UNIQUE) STRICT');
  queue = new WriteQueue(dataSource.createQueryRunner());
  other = new Sqlite(file);
});

afterEach(async () => {
  other.close();
  await dataSource.destroy();
  rmSync(folder, { recursive: true });
});

const insert = (text: string) => (manager: EntityManager) => manager.query('INSERT INTO "notes" VALUES (?)', [text]);

/** What another process finds. */
const notes = () => other.prepare('SELECT "text" FROM "notes" ORDER BY "text"').pluck().all();

describe('the write queue', () => {
  it('has made a write durable for everybody when it is fulfilled', async () => {
    await queue.run(insert('a'));
    expect(notes()).toEqual(['a']);
  });

  it('commits writes that wait together in one transaction', async () => {
    const query = jest.spyOn(dataSource.createQueryRunner(), 'query');
    await Promise.all(['a', 'b', 'c'].map((text) => queue.run(insert(text))));
    expect(query.mock.calls.filter(([sql]) => sql === 'COMMIT')).toHaveLength(1);
    expect(notes()).toEqual(['a', 'b', 'c']);
  });

  it('tells nobody of success before the commit', async () => {
    const seen = queue.run(insert('a')).then(notes);
    await Promise.all([seen, queue.run(insert('b'))]);
    expect(await seen).toEqual(['a', 'b']);
  });

  it('undoes what fails, and only that', async () => {
    const failing = queue.run(async (manager) => {
      await insert('half')(manager);
      throw new Error('on purpose');
    });
    const outcomes = await Promise.allSettled([queue.run(insert('a')), failing, queue.run(insert('b'))]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(notes()).toEqual(['a', 'b']);
  });

  it('undoes what fails alone, and goes on', async () => {
    const failing = queue.run(async (manager) => {
      await insert('half')(manager);
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(notes()).toEqual([]);
    await queue.run(insert('a'));
    expect(notes()).toEqual(['a']);
  });

  it('waits for the lock of another process without holding up the event loop', async () => {
    other.exec('BEGIN IMMEDIATE');
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    const write = queue.run(insert('a'));
    await delay(100);
    other.exec('COMMIT');
    await write;
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
    expect(notes()).toEqual(['a']);
  });

  it('fails all writes of a transaction as unavailable when the disk is full, and goes on when it no longer is', async () => {
    const connection = (dataSource.driver as unknown as { databaseConnection: Sqlite.Database }).databaseConnection;
    const pages = connection.pragma('page_count', { simple: true });
    connection.pragma(`max_page_count = ${pages}`);
    const big = (text: string) => queue.run(insert(text + 'x'.repeat(100_000)));
    const outcomes = await Promise.allSettled([queue.run(insert('a')), big('b'), queue.run(insert('c'))]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(ApiError) });
      expect(outcome).toMatchObject({ reason: { code: 'service_unavailable' } });
    }
    expect(notes()).toEqual([]);
    connection.pragma('max_page_count = 1000000');
    await queue.run(insert('d'));
    expect(notes()).toEqual(['d']);
  });

  it('rejects a commit that fails, and goes on', async () => {
    const runner = dataSource.createQueryRunner();
    const real = runner.query.bind(runner);
    const broken = jest.spyOn(runner, 'query').mockImplementation((sql: string, parameters?: Parameters<typeof real>[1]) => {
      return sql === 'COMMIT' ? Promise.reject(new Error('no commit')) : real(sql, parameters);
    });
    await expect(queue.run(insert('a'))).rejects.toThrow('no commit');
    broken.mockRestore();
    await queue.run(insert('b'));
    expect(notes()).toEqual(['b']);
  });
});
