import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import Sqlite from 'sqlite-driver';
import { SqliteDatabase, sqliteOptions } from './sqlite-database.js';
import { droppedFrames as findDropped } from './damaged-wal.js';

const FRAME = 24 + 4_096;
const TIMEOUTS = { DATABASE_TIMEOUT_MS: 300, DATABASE_TRANSACTION_TIMEOUT_MS: 60_000 };

let folder: string;
let writer: Sqlite.Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'petstore-wal-'));
  writer = new Sqlite(join(folder, 'live.sqlite'));
  writer.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE "notes" ("text" TEXT)');
});
afterEach(() => {
  writer.close();
  rmSync(folder, { recursive: true });
});

const droppedFrames = (wal: string) => findDropped(wal).frames;
const note = (text: string) => writer.prepare('INSERT INTO "notes" VALUES (?)').run(text);

/** The files as a process that is killed leaves them. */
function killed() {
  const file = join(folder, 'killed.sqlite');
  for (const end of ['', '-wal']) copyFileSync(join(folder, `live.sqlite${end}`), file + end);
  return { file, wal: `${file}-wal` };
}

function damage(wal: string, at: number): void {
  const bytes = readFileSync(wal);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(wal, bytes);
}

it('a damaged frame before others is reported at the start, because SQLite drops what follows', async () => {
  for (const text of ['a', 'b', 'c', 'd']) note(text);
  const { file, wal } = killed();
  const frames = (statSync(wal).size - 32) / FRAME;
  damage(wal, 32 + FRAME * (frames - 3) + 2_000);
  expect(droppedFrames(wal)).toBe(3);
  const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const database = await new SqliteDatabase(sqliteOptions(file, { entities: [] }), TIMEOUTS).initialize();
  expect(await database.query('SELECT "text" FROM "notes"')).toEqual([{ text: 'a' }]);
  await database.destroy();
  expect(warn.mock.calls).toEqual([
    [{ message: expect.stringContaining('damaged'), file: wal, frames: 3, bytes: 3 * FRAME }],
  ]);
});

it.each([
  ['the header', 12],
  ['the first salt of the header', 16],
  ['the second salt of the header', 20],
  ['the checksum of the header', 26],
  ['the salts of a frame', 32 + FRAME + 8],
  ['the checksum of a frame', 32 + FRAME + 16],
])('damage of %s is found too', (_, at) => {
  for (const text of ['a', 'b', 'c', 'd']) note(text);
  const { wal } = killed();
  damage(wal, at);
  expect(droppedFrames(wal)).toBeGreaterThan(0);
});

it('a transaction that was not written to its end is no damage', () => {
  for (const text of ['a', 'b']) note(text);
  const { wal } = killed();
  truncateSync(wal, statSync(wal).size - 100);
  expect(droppedFrames(wal)).toBe(0);
  damage(wal, statSync(wal).size - 100);
  expect(droppedFrames(wal)).toBe(0);
});

it('what is left of a large transaction that was rolled back is none, nor of the log before', () => {
  note('a');
  writer.exec('PRAGMA cache_size = 5; BEGIN');
  for (let count = 0; count < 50; count += 1) note('x'.repeat(5_000));
  writer.exec('ROLLBACK');
  const { size } = statSync(join(folder, 'live.sqlite-wal'));
  note('b');
  const { wal } = killed();
  expect([statSync(wal).size, size > 32 + 20 * FRAME]).toEqual([size, true]);
  expect(droppedFrames(wal)).toBe(0);
  writer.pragma('wal_checkpoint(RESTART)');
  note('c');
  expect(droppedFrames(killed().wal)).toBe(0);
});

it('there is none without a log', () => {
  expect(droppedFrames(join(folder, 'none'))).toBe(0);
});
