import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT, ROOT } from './build.js';
import type { Servers } from './options.js';
import type { Place } from './place.js';
import { serverPlaces } from './server-places.js';
import { sqlitePlaces } from './sqlite-places.js';

/** A database as each contender finds it, and the one key of its one account. */
export interface Seed {
  /** A fresh copy of the database. */
  copy(): Promise<Place>;
  readonly key: string;
  /** Folder for whatever else belongs to this run. */
  readonly folder: string;
  remove(): Promise<void>;
}

/** High enough that no run reaches it. */
export const NO_LIMIT = '1000000000';

/** Makes the schema and the key as an operator would, then fills in the pets. */
export async function seedDatabase(pets: number, on: Servers = 'sqlite'): Promise<Seed> {
  // Beside the data of the embedded default: the temporary directory may be in memory, where syncing costs nothing.
  mkdirSync(join(ROOT, 'data'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'data', 'bench-'));
  const places = on === 'sqlite' ? sqlitePlaces(folder) : await serverPlaces();
  const key = createKey(places.original);
  await places.run(insertPets(pets));
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
  const args = [
    'create',
    '--account',
    'bench',
    '--plan',
    'enterprise',
    '--per-minute',
    NO_LIMIT,
    '--per-day',
    NO_LIMIT,
    '--json',
  ];
  const output = execFileSync(process.execPath, [join(BUILT, 'src/cli/keys.cli.js'), ...args], {
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
  });
  return (JSON.parse(output) as { key: string }).key;
}

/** Pets 1 to `count`: a quarter each available, pending, sold and without a status. */
function insertPets(count: number): string {
  return `WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ${count})
    INSERT INTO pets (id, name, category_id, status)
    SELECT id, 'Pet number ' || id, id % 50 + 1,
      CASE id % 4 WHEN 1 THEN 'available' WHEN 2 THEN 'pending' WHEN 3 THEN 'sold' END FROM n`;
}
