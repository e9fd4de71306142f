import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readerOptions, sqliteFile, writerOptions } from './sqlite-options.js';
import { openReader, openWriter } from './open-sqlite.js';

const PARTS = { entities: [] };
const FULL = 2;

describe('the connections to SQLite', () => {
  it('sync each commit to the disk, never wait for a lock inside a statement, and keep 4 MiB of pages each', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'petstore-options-'));
    const writer = await openWriter(writerOptions(join(folder, 'x.sqlite'), PARTS));
    const reader = await openReader(readerOptions(join(folder, 'x.sqlite'), PARTS));
    expect(await writer.query('PRAGMA synchronous')).toEqual([{ synchronous: FULL }]);
    expect(await writer.query('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    for (const source of [writer, reader]) {
      expect(await source.query('PRAGMA busy_timeout')).toEqual([{ timeout: 0 }]);
      expect(await source.query('PRAGMA cache_size')).toEqual([{ cache_size: -4_096 }]);
    }
    await expect(reader.query('DELETE FROM "pets"')).rejects.toThrow('readonly');
    await reader.destroy();
    await writer.destroy();
    rmSync(folder, { recursive: true });
  });

  it('find a database in memory in a folder of its own', () => {
    const [one, other] = [sqliteFile('sqlite::memory:'), sqliteFile('sqlite::memory:')];
    expect(one).not.toBe(other);
    expect(existsSync(dirname(one))).toBe(true);
  });
});
