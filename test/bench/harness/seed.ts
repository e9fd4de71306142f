import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { BUILT, ROOT } from './build.js';

/** A database as each contender finds it, and the one key of its one account. */
export interface Seed {
  /** A fresh copy of the database. */
  copy(): string;
  readonly key: string;
  /** Folder for whatever else belongs to this run. */
  readonly folder: string;
  remove(): void;
}

/** High enough that no run reaches it. */
export const NO_LIMIT = '1000000000';

/** Makes the schema and the key as an operator would, then fills in the pets. */
export function seedDatabase(pets: number): Seed {
  // Beside the data of the embedded default: the temporary directory may be in memory, where syncing costs nothing.
  mkdirSync(join(ROOT, 'data'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'data', 'bench-'));
  const original = join(folder, 'seed.sqlite');
  const key = createKey(original);
  insertPets(original, pets);
  let copies = 0;
  return {
    key,
    folder,
    copy: () => {
      const file = join(folder, `${(copies += 1)}.sqlite`);
      copyFileSync(original, file);
      return file;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function createKey(file: string): string {
  const args = ['create', '--account', 'bench', '--plan', 'enterprise', '--per-minute', NO_LIMIT, '--per-day', NO_LIMIT, '--json'];
  const output = execFileSync(process.execPath, [join(BUILT, 'src/auth/keys.cli.js'), ...args], {
    env: { PATH: process.env['PATH'], DATABASE_URL: `sqlite:${file}` },
    encoding: 'utf8',
  });
  return (JSON.parse(output) as { key: string }).key;
}

/** Pets 1 to `count`: a quarter each available, pending, sold and without a status. */
function insertPets(file: string, count: number): void {
  const database = new SQLite(file);
  database
    .prepare(
      `WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ?)
       INSERT INTO pets (id, name, category_id, status)
       SELECT id, 'Pet number ' || id, id % 50 + 1,
         CASE id % 4 WHEN 1 THEN 'available' WHEN 2 THEN 'pending' WHEN 3 THEN 'sold' END FROM n`,
    )
    .run(count);
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}
