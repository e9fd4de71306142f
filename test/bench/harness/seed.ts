import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT, ROOT } from './build.js';
import type { Servers } from './options.js';
import type { Place } from './place.js';
import { serverPlaces } from './server-places.js';
import { sqlitePlaces } from './sqlite-places.js';

/** A seeded database to copy for each contender, and the key of its only account. */
export interface Seed {
  /** Creates a fresh copy of the database. */
  copy(): Promise<Place>;
  readonly key: string;
  /** Folder for other files of this run. */
  readonly folder: string;
  remove(): Promise<void>;
}

/** A limit that no run reaches. */
export const NO_LIMIT = '1000000000';

/** Creates the schema and the key as an operator would, then inserts the pets, or runs other SQL. */
export async function seedDatabase(pets: number, on: Servers = 'sqlite', sql = insertPets(pets)): Promise<Seed> {
  // Next to the data of the embedded default. The temporary directory may be in memory, where fsync is free.
  mkdirSync(join(ROOT, 'data'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'data', 'bench-'));
  const places = on === 'sqlite' ? sqlitePlaces(folder) : await serverPlaces();
  const key = createKey(places.original);
  await places.run(sql);
  return {
    key,
    folder,
    copy: places.copy,
    remove: async () => {
      await places.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function createKey(env: Readonly<Record<string, string>>): string {
  const args = `create --account bench --plan enterprise --per-minute ${NO_LIMIT} --per-day ${NO_LIMIT} --json`;
  const output = execFileSync(process.execPath, [join(BUILT, 'src/keys.cli.js'), ...args.split(' ')], {
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
  });
  return (JSON.parse(output) as { key: string }).key;
}

/** Pets 1 to `count`: a quarter each is available, pending, sold or without a status. */
function insertPets(count: number): string {
  return `WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ${count})
    INSERT INTO pets (id, name, category_id, status)
    SELECT id, 'Pet number ' || id, id % 50 + 1,
      CASE id % 4 WHEN 1 THEN 'available' WHEN 2 THEN 'pending' WHEN 3 THEN 'sold' END FROM n`;
}
